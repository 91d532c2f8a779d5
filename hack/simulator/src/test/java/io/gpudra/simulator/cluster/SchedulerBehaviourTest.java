package io.gpudra.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Resource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of protocol.md 3.2, column 1.30. */
class SchedulerBehaviourTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private SteppedCluster cluster;

  @BeforeEach
  void start(@TempDir Path cdi) {
    cluster = new SteppedCluster(cdi, Profile.V1_30, "n1", "n2");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private ObjectNode node(String name) {
    return cluster.api.get(Resource.NODES, "", name).orElseThrow();
  }

  private void cordon(String name) {
    ObjectNode node = node(name);
    node.withObjectProperty("spec").put("unschedulable", true);
    cluster.api.update(Resource.NODES, node);
  }

  @Test
  void aPodWithoutClaimsIsBoundAtOnceAndSaysSo() {
    cluster.pod("p", "");
    cluster.settle();
    assertThat(cluster.node("p")).isIn("n1", "n2");
    assertThat(cluster.events("p", "Scheduled")).hasSize(1);
  }

  @Test
  void aPodWhoseClaimIsMissingShowsNoConditionAndNoEventUntilTheClaimComes() {
    cluster.pod("p", "", "c");
    cluster.pass(Duration.ofMinutes(1));
    assertThat(cluster.condition("p")).isEmpty();
    assertThat(cluster.api.list(Resource.EVENTS)).isEmpty();
    cluster.claim("c");
    cluster.settle();
    assertThat(cluster.hasContext("p")).isTrue();
  }

  @Test
  void oneDelayedClaimIsSelectedForInTheCreatingWriteAndTakesTwoAttempts() {
    List<String> writes = cluster.record(Resource.CONTEXTS);
    cluster.claim("c");
    cluster.pod("p", "", "c");
    cluster.settle();
    assertThat(writes).containsExactly("ADDED p");
    ObjectNode context = cluster.context("p");
    assertThat(context.at("/spec/potentialNodes")).hasSize(2);
    String selected = context.at("/spec/selectedNode").asText();
    assertThat(selected).isIn("n1", "n2");
    assertThat(cluster.condition("p")).isEqualTo("waiting for resource driver");
    assertThat(cluster.events("p", "FailedScheduling")).hasSize(1);

    cluster.allocate("c", selected, "gpu-0", false);
    cluster.settle();
    assertThat(cluster.node("p")).as("still in back-off").isEmpty();
    cluster.pass(SECOND);
    assertThat(cluster.node("p")).isEqualTo(selected);
    assertThat(cluster.claimObject("c").at("/status/reservedFor/0/name").asText()).isEqualTo("p");
    assertThat(cluster.hasContext("p")).isFalse();
    assertThat(cluster.podObject("p").at("/status/conditions").findValuesAsText("type"))
        .as("the refusal is replaced")
        .containsOnlyOnce("PodScheduled");
  }

  @Test
  void withTwoPendingClaimsNoNodeIsSelectedBeforeEachHasAnEntry() {
    cluster.claim("a");
    cluster.claim("b");
    cluster.pod("p", "", "a", "b");
    cluster.settle();
    assertThat(cluster.context("p").at("/spec/selectedNode").asText()).isEmpty();
    assertThat(cluster.condition("p")).isEqualTo("waiting for resource driver");
    cluster.pass(SECOND);
    assertThat(cluster.condition("p"))
        .isEqualTo(
            "0/2 nodes are available: 1 waiting for resource driver to provide information.");
    cluster.inform("p", Map.of("a", List.of()));
    cluster.pass(Duration.ofSeconds(20));
    assertThat(cluster.context("p").at("/spec/selectedNode").asText()).isEmpty();
    cluster.inform("p", Map.of("a", List.of("n1"), "b", List.of()));
    cluster.pass(Duration.ofSeconds(20));
    assertThat(cluster.context("p").at("/spec/selectedNode").asText()).isEqualTo("n2");
  }

  @Test
  void aReservationIsTakenAwayWhileAnotherClaimIsPending() {
    cluster.claim("a");
    cluster.claim("b");
    cluster.pod("p", "", "a", "b");
    cluster.settle();
    cluster.inform("p", Map.of("a", List.of(), "b", List.of()));
    cluster.pass(Duration.ofSeconds(3));
    cluster.allocate("a", "n1", "gpu-0", false);
    ObjectNode claim = cluster.claimObject("a");
    claim
        .withObject("/status")
        .withArrayProperty("reservedFor")
        .addObject()
        .put("resource", "pods")
        .put("name", "p")
        .put("uid", cluster.podObject("p").at("/metadata/uid").asText());
    cluster.api.updateStatus(Resource.CLAIMS, claim);
    cluster.pass(Duration.ofSeconds(20));
    assertThat(cluster.claimObject("a").at("/status/reservedFor")).isEmpty();
    assertThat(cluster.claimObject("a").at("/status/allocation").isObject()).isTrue();
  }

  @Test
  void nodesThatTheDriverRefusesAreNotTried() {
    cluster.claim("a");
    cluster.pod("p", "", "a");
    cluster.settle();
    cluster.inform("p", Map.of("a", List.of("n1", "n2")));
    cluster.pass(SECOND);
    assertThat(cluster.condition("p"))
        .startsWith(
            "0/2 nodes are available: 2 resourceclaim cannot be allocated for the node"
                + " (unsuitable). still not schedulable");
  }

  @Test
  void aClaimAllocatedWhereThePodCannotGoIsGivenBackAndTheSelectionWithIt() {
    cluster.claim("c");
    cluster.pod("p", "", "c");
    cluster.settle();
    cluster.allocate("c", "n1", "gpu-0", false);
    cordon("n1");
    cluster.pass(SECOND);
    assertThat(cluster.condition("p"))
        .contains("1 resourceclaim not available on the node")
        .contains(". deallocation of ResourceClaim completed,");
    assertThat(cluster.claimObject("c").at("/status/deallocationRequested").asBoolean()).isTrue();
    assertThat(cluster.context("p").at("/spec/selectedNode").asText()).isEmpty();
    cluster.pass(Duration.ofSeconds(10));
    assertThat(cluster.condition("p"))
        .startsWith("0/2 nodes are available: resourceclaim must be reallocated.");
    cluster.release("c");
    cluster.pass(Duration.ofSeconds(10));
    assertThat(cluster.context("p").at("/spec/selectedNode").asText()).isEqualTo("n2");
  }

  @Test
  void immediateClaimsAreAwaitedAndNeverGivenBack() {
    cluster.claim("c", "Immediate");
    cluster.pod("p", "", "c");
    cluster.settle();
    assertThat(cluster.condition("p"))
        .startsWith("0/2 nodes are available: unallocated immediate resourceclaim.");
    assertThat(cluster.hasContext("p")).isFalse();
    cordon("n1");
    cluster.allocate("c", "n1", "gpu-0", false);
    cluster.pass(SECOND);
    assertThat(cluster.condition("p")).contains("still not schedulable");
    assertThat(cluster.claimObject("c").at("/status/deallocationRequested").asBoolean()).isFalse();
  }

  @Test
  void aClaimInUseKeepsTheNextPodWaitingUntilItIsFree() {
    cluster.claim("c");
    cluster.allocate("c", "n1", "gpu-0", false);
    cluster.pod("p", "", "c");
    cluster.settle();
    cluster.pod("q", "", "c");
    cluster.settle();
    assertThat(cluster.node("p")).isEqualTo("n1");
    assertThat(cluster.condition("q")).startsWith("0/2 nodes are available: resourceclaim in use.");
  }

  @Test
  void aMissingClassIsNamedAndItsComingWakesThePod() {
    cluster.api.delete(Resource.CLASSES, "", "gpu", Optional.empty());
    cluster.claim("c");
    cluster.pod("p", "", "c");
    cluster.settle();
    assertThat(cluster.condition("p"))
        .startsWith("0/2 nodes are available: resource class gpu does not exist.");
    cluster.create(
        Resource.CLASSES,
        "{'metadata':{'name':'gpu'},'driverName':'gpu.example.com','suitableNodes':"
            + "{'nodeSelectorTerms':[{'matchExpressions':[{'key':'kubernetes.io/hostname',"
            + "'operator':'In','values':['n2']}]}]}}");
    cluster.pass(SECOND);
    assertThat(cluster.context("p").at("/spec/selectedNode").asText()).isEqualTo("n2");
    assertThat(cluster.context("p").at("/spec/potentialNodes")).hasSize(1);
  }

  @Test
  void theContextOfAnEarlierPodStopsTheNextOne() {
    cluster.create(Resource.CONTEXTS, "{'metadata':{'name':'p','namespace':'default'},'spec':{}}");
    cluster.claim("c");
    cluster.pod("p", "", "c");
    cluster.settle();
    assertThat(cluster.condition("p")).contains("is not owned by Pod default/p");
  }

  @Test
  void theBackoffDoublesUpToTenSeconds() {
    cluster.claim("c", "Immediate");
    cluster.pod("p", "", "c");
    cluster.settle();
    // Failures after 1, 2, 4 and 8 seconds of back-off; the fifth wait is 10 seconds, not 16.
    for (int seconds : new int[] {1, 2, 4, 8, 10, 10}) {
      poke();
      cluster.pass(Duration.ofSeconds(seconds).minusMillis(1));
      int before = attempts();
      cluster.pass(Duration.ofMillis(1));
      assertThat(attempts()).as("after %s s", seconds).isEqualTo(before + 1);
    }
  }

  private void poke() {
    ObjectNode claim = cluster.claimObject("c");
    var labels = claim.withObject("/metadata").withObjectProperty("labels");
    labels.put("n", String.valueOf(labels.path("n").asInt() + 1));
    cluster.api.update(Resource.CLAIMS, claim);
  }

  private int attempts() {
    return cluster.api.list(Resource.EVENTS).stream()
        .filter(event -> event.path("reason").asText().equals("FailedScheduling"))
        .mapToInt(event -> event.path("count").asInt())
        .sum();
  }

  @Test
  void taintsCordonsReadinessAndSelectorsKeepPodsAway() {
    ObjectNode tainted = node("n1");
    tainted
        .withObjectProperty("spec")
        .putArray("taints")
        .addObject()
        .put("key", "k")
        .put("effect", "NoSchedule");
    cluster.api.update(Resource.NODES, tainted);
    cluster.actors.kubelet("n2").ready(false);
    cluster.pod("p", "");
    cluster.settle();
    assertThat(cluster.condition("p"))
        .startsWith(
            "0/2 nodes are available: 1 node(s) had untolerated taint {k: }, 1 node(s) had"
                + " untolerated taint {node.kubernetes.io/not-ready: }.");
    cluster.actors.kubelet("n2").ready(true);
    cluster.pass(SECOND);
    assertThat(cluster.node("p")).isEqualTo("n2");
  }

  private void podOfSize(String name, String requests) {
    cluster.create(
        Resource.PODS,
        ("{'metadata':{'name':'%s','namespace':'default'},'spec':{'restartPolicy':'Never',"
                + "'containers':[{'name':'ctr','image':'i','resources':{'requests':{%s}}}]}}")
            .formatted(name, requests));
  }

  @Test
  void podsTakeProcessorsAndMemoryOfANodeUntilTheyEnd() {
    cordon("n2");
    podOfSize("first", "'cpu':'40','memory':'1Gi'");
    cluster.settle();
    podOfSize("second", "'cpu':'24500m'");
    podOfSize("huge", "'memory':'257Gi'");
    cluster.settle();
    assertThat(cluster.node("first")).isEqualTo("n1");
    assertThat(cluster.condition("second"))
        .startsWith("0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.");
    assertThat(cluster.condition("huge")).contains("1 Insufficient memory");

    cluster.actors.kubelet("n1").finish(cluster.podObject("first").at("/metadata/uid").asText());
    cluster.pass(SECOND);
    assertThat(cluster.node("second")).isEqualTo("n1");
    assertThat(cluster.node("huge")).isEmpty();
  }
}
