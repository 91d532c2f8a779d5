package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExplainCommandTest {
  private static final Duration HOURS = Duration.ofHours(3).plusMinutes(1);
  private Asking asking;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    asking = new Asking(directory);
    asking.cluster.addNode("worker-1");
    asking.granted("team-a", "one", HOURS, "worker-1", "GPU-0");
    asking.granted("team-b", "two", Duration.ofMinutes(5), "worker-1", "GPU-1");
  }

  @AfterEach
  void stop() {
    asking.close();
  }

  @Test
  void aWaitingPodIsToldWhatWouldHelpAndNothingIsWritten() throws IOException {
    asking.waiting("team-a", "train", List.of("worker-1"));

    int code = asking.ask("explain", "train", "-n", "team-a");

    assertThat(code).isZero();
    assertThat(asking.out())
        .contains(
            "pod team-a/train (Pending) has been waiting for devices for ",
            "claim team-a/train: 0 of 1 node fits: 1 all matching GPUs in use; nearest: worker-1",
            "it can run on worker-1 after the release of team-a/one (held for 3 h)\n",
            "place 1 of 1 in the queue");
    assertThat(asking.err()).isEmpty();
    assertThat(asking.writes()).isEmpty();
  }

  @Test
  void whatIsPromisedComesTrue() throws IOException {
    asking.waiting("team-a", "train", List.of("worker-1"));
    assertThat(asking.ask("explain", "train", "-n", "team-a", "-o", "json")).isZero();
    JsonNode release = Json.parse(asking.out()).at("/waiting/remedy/release/0");

    asking.release(release.path("namespace").asText(), release.path("name").asText());

    assertThat(asking.ask("explain", "train", "-n", "team-a")).isZero();
    assertThat(asking.out()).contains("it fits on worker-1 by its devices");
  }

  @Test
  void whatTheSchedulerSaysIsTold() throws IOException {
    asking.waiting("team-a", "train", List.of());
    asking.unschedulable("team-a", "train", "0/1 nodes are available: 1 Insufficient cpu.");

    assertThat(asking.ask("explain", "train", "-n", "team-a")).isZero();
    assertThat(asking.out())
        .contains("default-scheduler says: 0/1 nodes are available: 1 Insufficient cpu.\n");
    asking.ask("explain", "train", "-n", "team-a", "-o", "json");
    assertThat(Json.parse(asking.out()).at("/scheduling/refusal").asText())
        .isEqualTo("0/1 nodes are available: 1 Insufficient cpu.");
  }

  @Test
  void gatesAndAnotherSchedulerAreTold() throws IOException {
    asking.member("team-a", "g-0", "g");

    assertThat(asking.ask("explain", "g-0", "-n", "team-a")).isZero();
    assertThat(asking.out())
        .contains(
            "not scheduled until the scheduling gate is removed: gpu.resource.example.com/granted",
            "it uses scheduler volcano\n");
  }

  private void nodesAreKept(Instant until) {
    asking.member("team-b", "g-0", "g");
    asking.event(
        "team-b",
        "Pod",
        "g-0",
        "NodesKept",
        "nodes are kept for the group until %s: worker-1".formatted(until));
  }

  @Test
  void forWhichGroupNodesAreKeptIsToldToItsMembersAndToOthers() throws IOException {
    Instant until = Instant.now().plusSeconds(725).truncatedTo(ChronoUnit.SECONDS);
    nodesAreKept(until);
    asking.waiting("team-a", "train", List.of("worker-1"));
    String kept =
        "nodes are kept for group team-b/g until %s (for 12 min): worker-1; younger pods of"
                .formatted(until)
            + " priority 0 or lower get only what it does not need there\n";

    assertThat(asking.ask("explain", "train", "-n", "team-a")).isZero();
    assertThat(asking.out()).contains(kept);
    asking.ask("explain", "g-0", "-n", "team-b");
    assertThat(asking.out()).contains(kept);
    asking.ask("explain", "train", "-n", "team-a", "-o", "json");
    assertThat(Json.parse(asking.out()).path("kept").toString())
        .isEqualTo(
            "{\"namespace\":\"team-b\",\"group\":\"g\",\"until\":\"%s\",\"nodes\":\"worker-1\"}"
                .formatted(until));
    asking.ask("explain", "claim/one", "-n", "team-a");
    assertThat(asking.out()).as("it waits for nothing").doesNotContain("nodes are kept");
  }

  @Test
  void nodesThatWereKeptAreNotTold() throws IOException {
    nodesAreKept(Instant.now().minusSeconds(1));
    asking.waiting("team-a", "train", List.of("worker-1"));

    asking.ask("explain", "train", "-n", "team-a");
    assertThat(asking.out()).doesNotContain("nodes are kept");
  }

  @Test
  void eventsAreReadOnlyWhileGroupsWait() throws IOException {
    asking.waiting("team-a", "train", List.of("worker-1"));
    asking.ask("explain", "train", "-n", "team-a");

    assertThat(asking.cluster.server.requests().count(one -> one.resource().equals("events")))
        .isZero();
  }

  @Test
  void aGrantedClaimIsToldWhatItHas() throws IOException {
    assertThat(asking.ask("explain", "claim/one", "-n", "team-a")).isZero();

    assertThat(asking.out())
        .contains(
            "claim team-a/one is allocated on worker-1 for 3 h (",
            "), not prepared there\n",
            "  gpu-0 (GPU-0, T4): all of it\n",
            "  used by pod team-a/one\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "claim one",
        "resourceclaim one",
        "Claim/one",
        "resourceclaim.resource.k8s.io/one",
        "resourceclaims one"
      })
  void aClaimIsNamedAsKubectlNamesIt(String written) throws IOException {
    List<String> words = new ArrayList<>(List.of("explain", "-n", "team-a"));
    Collections.addAll(words, written.split(" "));

    assertThat(asking.ask(words.toArray(String[]::new))).isZero();
    assertThat(asking.out()).contains("claim team-a/one is allocated on worker-1");
  }

  @Test
  void allFormatsAnswer() throws IOException {
    asking.waiting("team-a", "train", List.of("worker-1"));

    asking.ask("explain", "train", "-n", "team-a", "-o", "json");
    JsonNode json = Json.parse(asking.out());
    assertThat(json.at("/claims/0/refusals/0/reason").asText()).isEqualTo("allMatchingInUse");
    assertThat(json.at("/waiting/remedy/node").asText()).isEqualTo("worker-1");
    assertThat(json.path("text")).hasSize(5);

    asking.ask("explain", "train", "-n", "team-a", "-o", "yaml");
    assertThat(asking.out()).startsWith("kind: pod\n");
    asking.ask("explain", "train", "-n", "team-a", "-o", "name");
    assertThat(asking.out()).isEqualTo("pod/train\n");
    asking.ask("explain", "train", "-n", "team-a", "-o", "wide");
    assertThat(asking.out()).contains("  worker-1, claim team-a/train: 2 GPUs, both granted to");
  }

  @Test
  void aLimitAndEvictionsAreInTheJson() throws IOException {
    asking.waiting("team-a", "train", List.of("worker-1"), 10);
    asking.pod("team-b", "two");
    asking.ask("explain", "train", "-n", "team-a", "-o", "json");
    assertThat(Json.parse(asking.out()).at("/waiting/lowerPriority").toString())
        .isEqualTo("[{\"namespace\":\"team-b\",\"name\":\"two\",\"priority\":0}]");
    assertThat(Json.parse(asking.out()).at("/waiting/limit").isMissingNode()).isTrue();

    asking.cluster.addNode("worker-2");
    asking.quota("team-a", "one", "{\"gpus\":\"1\"}");
    asking.ask("explain", "train", "-n", "team-a", "-o", "json");
    JsonNode waiting = Json.parse(asking.out()).at("/waiting");
    assertThat(waiting.at("/limit").toString())
        .isEqualTo(
            "{\"reason\":\"quotaExceeded\","
                + "\"text\":\"quota \\\"one\\\": gpus 1 of 1 in use, 1 more wanted\"}");
    assertThat(waiting.at("/remedy/release/0/name").asText()).isEqualTo("one");
    assertThat(waiting.at("/remedy/exact").asBoolean()).isTrue();
  }

  @Test
  void whatSteersATerminalIsTakenOut() throws IOException {
    asking.waiting("team-a", "train", List.of("worker-1"));
    asking.event("team-a", "Pod", "train", "NoFreeDevice", "\\u001b[31mred");
    asking.onlyOfANamespace();

    asking.ask("explain", "train", "-n", "team-a");

    assertThat(asking.out()).contains("NoFreeDevice:  [31mred").doesNotContain("\u001b");
  }

  @Test
  void whoMayNotReadInventoriesIsToldWhatWasSaid() throws IOException {
    asking.waiting("team-a", "train", List.of("worker-1"));
    asking.event("team-a", "Pod", "train", "NoFreeDevice", "claim team-a/train: 0 of 1 node fits");
    asking.event("team-a", "ResourceClaim", "train", "NoFreeDevice", "0 of 1 node fits");
    asking.event("team-a", "Pod", "other", "NoFreeDevice", "somebody else");
    asking.onlyOfANamespace();

    assertThat(asking.ask("explain", "train", "-n", "team-a")).isZero();

    assertThat(asking.err())
        .contains(
            "note: no nodeinventories are seen: the right to list them is missing\n",
            "note: of pods only those of namespace team-a are seen");
    assertThat(asking.out())
        .contains(
            "claim team-a/train has no devices\n",
            "what nodes have cannot be read; scheduler and controller have said:\n",
            "NoFreeDevice: claim team-a/train: 0 of 1 node fits\n",
            "NoFreeDevice: 0 of 1 node fits\n")
        .doesNotContain("somebody else", "it can run", "not found", "blocked");
    assertThat(asking.writes()).isEmpty();
  }

  @Test
  void whoMayNotReadInventoriesSeesWhatTheirClaimHas() throws IOException {
    asking.onlyOfANamespace();

    assertThat(asking.ask("explain", "claim/one", "-n", "team-a")).isZero();

    assertThat(asking.out())
        .contains("on worker-1 for 3 h", "unknown whether it is prepared there", "GPU-0");
  }

  @Test
  void whatIsNotThereIsNotAnswered() throws IOException {
    assertThat(asking.ask("explain", "nobody", "-n", "team-a")).isEqualTo(2);
    assertThat(asking.err())
        .isEqualTo("no pod or claim \"nobody\" found in namespace \"team-a\"\n");
    assertThat(asking.ask("explain", "node/worker-1")).isEqualTo(2);
    assertThat(asking.err()).contains("is none of: NAME, pod/NAME, claim/NAME");
  }

  @Test
  void aPodThatCannotEverRunIsWrong() throws IOException {
    asking.waiting("team-a", "train", List.of("worker-1"));
    asking.cluster.objects.delete(Resource.CLASSES, "", "gpu", Optional.empty());

    assertThat(asking.ask("explain", "train", "-n", "team-a")).isEqualTo(1);
    assertThat(asking.out()).contains("ResourceClass \"gpu\" not found");
  }

  @Test
  void aWatchTellsChangesUntilThePodWaitsNoMore() throws Exception {
    asking.waiting("team-a", "train", List.of("worker-1"));
    Thread change = new Thread(this::releaseAndGrant);
    change.start();

    int code = asking.ask("explain", "train", "-n", "team-a", "--watch", "--interval=50ms");
    change.join();

    assertThat(code).isZero();
    assertThat(asking.out().lines().filter(line -> line.startsWith("pod ")))
        .hasSize(3)
        .last()
        .isEqualTo("pod team-a/train (Pending) has its devices and waits for a node");
  }

  /** Grants in any case: the watch would never end else. */
  private void releaseAndGrant() {
    try {
      Awaitility.await("two looks").atMost(Duration.ofSeconds(60)).until(() -> lists() >= 2);
      asking.release("team-a", "one");
      Awaitility.await("a look at what was released")
          .atMost(Duration.ofSeconds(60))
          .until(() -> asking.out().contains("fits on worker-1"));
    } finally {
      asking.grant("team-a", "train", Duration.ZERO, "worker-1", "GPU-0");
    }
  }

  private long lists() {
    return asking.cluster.server.requests().count(one -> one.resource().equals("nodes"));
  }
}
