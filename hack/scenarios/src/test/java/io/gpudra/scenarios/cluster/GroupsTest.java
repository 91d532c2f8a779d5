package io.gpudra.scenarios.cluster;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.process.Child;
import io.gpudra.scenarios.run.Manifests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Groups of pods with the shipped binaries: two controllers, eight GPUs on two nodes. */
@Tag("process")
class GroupsTest {
  private static final Path PAGE = Path.of("../../docs/user/groups.md");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```yaml\n(.*?)^```$");
  private static final String PAGES_NAMESPACE = "team-a";
  private static final int GPUS = 8;

  @RegisterExtension
  static final ClusterUnderTest cluster =
      new ClusterUnderTest(
          new Plan(ImmutableMap.of("worker-0", "latest:4", "worker-1", "latest:4"), 2, 0)
              .with("--gates", "--group-patience=5s"));

  @BeforeAll
  static void templates() throws Exception {
    cluster.create(
        Given.namespace(PAGES_NAMESPACE),
        Given.parameters(PAGES_NAMESPACE, "one", "{count: 1}"),
        Given.parameters(PAGES_NAMESPACE, "two", "{count: 2}"),
        Given.templateWith(PAGES_NAMESPACE, "one-gpu", "one"),
        Given.templateWith(PAGES_NAMESPACE, "two-gpus", "two"));
  }

  static List<String> blocksOfThePage() throws IOException {
    return BLOCK.matcher(Files.readString(PAGE)).results().map(block -> block.group(1)).toList();
  }

  /** The pods that the Job controller makes of a Job. */
  private static ImmutableList<ObjectNode> pods(ObjectNode job) {
    return IntStream.range(0, job.at("/spec/completions").asInt(1))
        .mapToObj(i -> pod(job, i))
        .collect(toImmutableList());
  }

  private static ObjectNode pod(ObjectNode job, int index) {
    ObjectNode pod = JsonNodeFactory.instance.objectNode();
    pod.put("apiVersion", "v1").put("kind", "Pod");
    JsonNode template = job.at("/spec/template");
    ObjectNode metadata = pod.putObject("metadata");
    metadata.setAll((ObjectNode) template.path("metadata").deepCopy());
    metadata.put("name", job.at("/metadata/name").asText() + "-" + index);
    metadata.set("namespace", job.at("/metadata/namespace"));
    pod.set("spec", template.path("spec").deepCopy());
    return pod;
  }

  private static void untilRunning(String ns, List<String> pods) {
    pods.forEach(pod -> cluster.untilRunning(ns, pod));
  }

  private static void untilGone(String ns, List<String> pods) throws Exception {
    for (String pod : pods) {
      cluster.delete(ns, pod);
    }
    for (String pod : pods) {
      cluster.until("pod " + pod + " is gone", () -> cluster.pod(ns, pod).isEmpty());
    }
  }

  @ParameterizedTest
  @MethodSource("blocksOfThePage")
  void eachGroupOfThePageRuns(String yaml) throws Exception {
    ImmutableList<ObjectNode> pods =
        Manifests.parse(yaml, PAGE.toString()).stream()
            .flatMap(job -> pods(job).stream())
            .collect(toImmutableList());
    for (ObjectNode pod : pods) {
      cluster.client().create(pod);
    }
    List<String> names = pods.stream().map(pod -> pod.at("/metadata/name").asText()).toList();
    untilRunning(PAGES_NAMESPACE, names);

    Set<String> used = new HashSet<>();
    for (String name : names) {
      used.addAll(cluster.seenBy(PAGES_NAMESPACE, name));
    }
    assertThat(used.size()).isBetween(3, 6);
    untilGone(PAGES_NAMESPACE, names);
  }

  @Test
  void thePageHasThreeGroups() throws Exception {
    assertThat(blocksOfThePage()).hasSize(3);
  }

  /** Members of a group, each with a claim of its name for so many GPUs. */
  private static List<String> group(String ns, String group, int members, int gpus)
      throws Exception {
    List<String> names = IntStream.range(0, members).mapToObj(i -> group + "-" + i).toList();
    for (String name : names) {
      member(ns, name, group, members, gpus);
    }
    return names;
  }

  private static void member(String ns, String name, String group, int size, int gpus)
      throws Exception {
    cluster.create(Given.claimWith(ns, name, "gpus-" + gpus));
    String labels =
        "labels: {%1$s/group: %2$s, %1$s/group-size: \"%3$s\"}"
            .formatted(Binaries.DRIVER_NAME, group, size);
    cluster.create(
        Given.podWith(
                ns,
                name,
                "schedulingGates: [{name: %s/granted}]".formatted(Binaries.DRIVER_NAME),
                name)
            .replace("name: " + name + "}\nspec", "name: " + name + ", " + labels + "}\nspec"));
  }

  private static void namespace(String ns, int gpus) throws Exception {
    cluster.create(
        Given.namespace(ns), Given.parameters(ns, "gpus-" + gpus, "{count: " + gpus + "}"));
  }

  private static boolean anyAllocated(String ns, List<String> claims) throws Exception {
    boolean any = false;
    for (String claim : claims) {
      any |= cluster.isAllocated(ns, claim);
    }
    return any;
  }

  private static boolean isTold(String ns, String pod, String reason) throws Exception {
    return StreamSupport.stream(
            cluster
                .client()
                .get("/api/v1/namespaces/" + ns + "/events")
                .path("items")
                .spliterator(),
            false)
        .anyMatch(
            event ->
                event.at("/involvedObject/name").asText().equals(pod)
                    && event.path("reason").asText().equals(reason));
  }

  @Test
  void aGroupThatDoesNotFitHoldsNothing() throws Exception {
    String ns = "groups-too-few";
    namespace(ns, 3);
    cluster.create(Given.claimWith(ns, "single", "gpus-3"), Given.pod(ns, "single", "single"));
    untilRunning(ns, List.of("single"));
    List<String> group = group(ns, "g", 2, 3);
    cluster.until(
        "the group is told that it does not fit", () -> isTold(ns, "g-0", "GroupDoesNotFit"));
    assertThat(anyAllocated(ns, group)).isFalse();

    cluster.delete(ns, "single");
    cluster.deleteClaim(ns, "single");
    untilRunning(ns, group);
    untilGone(ns, group);
  }

  @Test
  void twoGroupsOfWhichEachFitsAloneRunOneAfterTheOther() throws Exception {
    String ns = "groups-two";
    namespace(ns, 1);
    List<String> first = group(ns, "first", GPUS - 2, 1);
    List<String> second = group(ns, "second", GPUS - 2, 1);
    untilRunning(ns, first);
    cluster.until("the other one is told", () -> isTold(ns, "second-0", "GroupDoesNotFit"));
    assertThat(anyAllocated(ns, second)).isFalse();

    untilGone(ns, first);
    for (String claim : first) {
      cluster.deleteClaim(ns, claim);
    }
    untilRunning(ns, second);
    untilGone(ns, second);
  }

  private static List<String> singles(String ns, String name) throws Exception {
    List<String> names = IntStream.range(0, GPUS / 2).mapToObj(i -> name + "-" + i).toList();
    for (String single : names) {
      cluster.create(Given.claimWith(ns, single, "gpus-2"), Given.pod(ns, single, single));
    }
    return names;
  }

  private static boolean areNodesKept(String ns) throws Exception {
    return LocalPages.metrics(cluster.leader().orElseThrow())
        .contains("gpudra_group_hold{namespace=\"" + ns + "\"} 2");
  }

  @Test
  void aGroupRunsAmongSinglePodsThatFollowEachOther() throws Exception {
    String ns = "groups-stream";
    namespace(ns, 2);
    List<String> first = singles(ns, "first");
    untilRunning(ns, first);
    List<String> group = group(ns, "g", GPUS / 2, 2);
    cluster.until("nodes are kept for the group", () -> areNodesKept(ns));
    List<String> next = singles(ns, "next");
    for (String single : first) {
      cluster.delete(ns, single);
      cluster.deleteClaim(ns, single);
    }
    untilRunning(ns, group);
    assertThat(anyAllocated(ns, next)).isFalse();

    untilGone(ns, group);
    for (String claim : group) {
      cluster.deleteClaim(ns, claim);
    }
    untilRunning(ns, next);
    untilGone(ns, next);
  }

  @Test
  void aGroupThatIsIncompleteHoldsNothingUntilItsLastMemberComes() throws Exception {
    String ns = "groups-incomplete";
    namespace(ns, 1);
    member(ns, "g-0", "g", 2, 1);
    cluster.until("the member is told", () -> isTold(ns, "g-0", "GroupIncomplete"));
    assertThat(cluster.isAllocated(ns, "g-0")).isFalse();

    member(ns, "g-1", "g", 2, 1);
    untilRunning(ns, List.of("g-0", "g-1"));
    untilGone(ns, List.of("g-0", "g-1"));
  }

  @Test
  void aLeaderKilledAtAGroupLeavesNoPartOfIt() throws Exception {
    String ns = "groups-killed";
    namespace(ns, 1);
    cluster.until("a controller leads", () -> cluster.leader().isPresent());
    Child leader = cluster.leader().orElseThrow();
    List<String> group = group(ns, "g", GPUS, 1);
    cluster.until("a part is granted", () -> anyAllocated(ns, group));
    leader.kill();
    cluster.replaceDeadControllers();
    untilRunning(ns, group);

    Set<String> used = new HashSet<>();
    for (String pod : group) {
      used.addAll(cluster.seenBy(ns, pod));
    }
    assertThat(used).as("each pod has a GPU of its own").hasSize(GPUS);
    untilGone(ns, group);
  }
}
