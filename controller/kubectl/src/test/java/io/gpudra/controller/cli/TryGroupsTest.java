package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.controller.kube.testing.Cluster;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/** Groups of pods, and quotas. */
class TryGroupsTest extends TryCase {
  @Test
  void aQuotaOfTheNamespaceCounts() throws IOException {
    holds("a", "worker-1", "GPU-0");
    cluster.objects.create(
        new Resource(Cluster.DRIVER, "v1alpha1", "gpuquotas"),
        Json.parse(
            """
            {"apiVersion":"%s/v1alpha1","kind":"GpuQuota",
             "metadata":{"namespace":"default","name":"three"},"spec":{"hard":{"gpus":"3"}}}\
            """
                .formatted(Cluster.DRIVER)));

    assertThat(answer(TEMPLATE + deployment(3))).isEqualTo(1);
    assertThat(out.toString())
        .startsWith("Deployment default/web: 2 of 3 replicas fit\n")
        .contains("  web-2 waits:\n  quota \"three\": gpus 3 of 3 in use, 1 more wanted\n");
    assertThat(answer(TEMPLATE + deployment(2))).isZero();
  }

  private static String member(String kind, String name, int pods, String size) {
    return """
    apiVersion: batch/v1
    kind: %1$s
    metadata: {name: %2$s}
    spec:
      parallelism: %3$d
      completions: %3$d
      template:
        metadata:
          labels:
            gpu.resource.example.com/group: g
            gpu.resource.example.com/group-size: "%4$s"
        spec: %5$s
    ---
    """
        .formatted(kind, name, pods, size, POD_SPEC.replace("\n", " "));
  }

  @Test
  void aGroupGetsOneAnswer() throws IOException {
    String two = TEMPLATE + member("Job", "a", 1, "3") + member("Job", "b", 2, "3");
    assertThat(answer(two)).isZero();
    assertThat(out.toString())
        .isEqualTo(
            """
            Group default/g: all 3 members fit at once
              on worker-1: 2
              on worker-2: 1
              (the controller chooses the nodes of a group)
            """);

    fill();
    out.getBuffer().setLength(0);
    assertThat(answer(two)).isEqualTo(1);
    assertThat(out.toString())
        .startsWith(
            """
            Group default/g: does not start
              group g waits:
              0 of 3 members fit at once: nothing is allocated before all do
            """)
        .contains("all members fit after the release of default/")
        .contains("(fewer may be enough)");

    out.getBuffer().setLength(0);
    assertThat(answer(TEMPLATE + member("Job", "a", 1, "3"), "-o", "json")).isEqualTo(1);
    JsonNode group = Json.parse(out.toString()).at("/objects/0");
    assertThat(group.path("kind").asText()).isEqualTo("Group");
    assertThat(group.path("wanted").asInt()).isEqualTo(3);
    assertThat(group.at("/waiting/reasons/0").asText())
        .isEqualTo(
            "1 of 3 members are in the files and the cluster: nothing is allocated before all are"
                + " there");
  }

  private void inTheCluster(String name, String node) {
    cluster.objects.create(
        Resource.CLAIMS,
        Json.parse(
            """
            {"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClaim",
             "metadata":{"namespace":"default","name":"claim-of-%s"},
             "spec":{"resourceClassName":"gpu"}}\
            """
                .formatted(name)));
    cluster.objects.create(
        Resource.PODS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Pod",
             "metadata":{"namespace":"default","name":"%1$s","labels":{
              "gpu.resource.example.com/group":"g","gpu.resource.example.com/group-size":"3"}},
             "spec":{%2$s"containers":[{"name":"c","image":"i"}],
              "resourceClaims":[{"name":"gpu","source":{"resourceClaimName":"claim-of-%1$s"}}]}}\
            """
                .formatted(name, node)));
  }

  @Test
  void membersThatWaitInTheClusterCount() throws IOException {
    inTheCluster(
        "first-x7b2q",
        "\"schedulingGates\":[{\"name\":\"%s/granted\"}],".formatted(Cluster.DRIVER));
    assertThat(answer(TEMPLATE + member("Job", "second", 2, "3"))).isZero();
    assertThat(out.toString()).startsWith("Group default/g: all 3 members fit at once\n");

    out.getBuffer().setLength(0);
    assertThat(answer(TEMPLATE + member("Job", "second", 1, "3"))).isEqualTo(1);
    assertThat(out.toString()).contains("2 of 3 members are in the files and the cluster: ");
    assertThat(answer(TEMPLATE + member("Job", "second", 2, "2"))).isEqualTo(1);
    assertThat(out.toString()).contains("the size of the group is 2 and 3");
  }

  @Test
  void nodesThatAreKeptForAGroupOfTheClusterAreTold() throws IOException {
    inTheCluster(
        "first-x7b2q",
        "\"priority\":3,\"schedulingGates\":[{\"name\":\"%s/granted\"}],"
            .formatted(Cluster.DRIVER));
    Instant until = Instant.now().plusSeconds(725).truncatedTo(ChronoUnit.SECONDS);
    cluster.objects.create(
        Resource.EVENTS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Event","metadata":{"namespace":"default","name":"e"},
             "involvedObject":{"kind":"Pod","namespace":"default","name":"first-x7b2q"},
             "reason":"NodesKept","message":"nodes are kept for the group until %s: worker-1",
             "lastTimestamp":"%s"}\
            """
                .formatted(until, Instant.now())));

    assertThat(answer(TEMPLATE + POD)).isZero();
    assertThat(out.toString())
        .endsWith(
            "nodes are kept for group default/g until %s (for 12 min): worker-1; younger pods of"
                    .formatted(until)
                + " priority 3 or lower get only what it does not need there\n");
    out.getBuffer().setLength(0);
    assertThat(answer(TEMPLATE + POD, "-o", "json")).isZero();
    assertThat(Json.parse(out.toString()).at("/kept/group").asText()).isEqualTo("g");
  }

  @Test
  void membersOfAnObjectInTheFilesDoNotCountTwice() throws IOException {
    inTheCluster("first-x7b2q", "");
    assertThat(answer(TEMPLATE + member("Job", "first", 2, "3"))).isEqualTo(1);
    assertThat(out.toString()).contains("2 of 3 members are in the files and the cluster: ");
  }

  @Test
  void aMemberIsNotPlacedOnANodeThatIsTooSmallForIt() throws IOException {
    cpus("worker-1", "4");
    cpus("worker-2", "1");
    String two = TEMPLATE + member("Job", "a", 2, "2").replace("image: i", requesting("2"));
    assertThat(answer(two)).isZero();
    assertThat(out.toString()).contains("  on worker-1: 2\n");

    out.getBuffer().setLength(0);
    String three = TEMPLATE + member("Job", "a", 3, "3").replace("image: i", requesting("2"));
    assertThat(answer(three)).isEqualTo(1);
    assertThat(out.toString()).contains("2 of 3 members fit at once");
  }

  @Test
  void aGroupOfTooManyKindsIsNotDecided() throws IOException {
    cpus("worker-1", "99");
    cpus("worker-2", "99");
    StringBuilder group = new StringBuilder(TEMPLATE);
    for (int i = 1; i <= 9; i++) {
      String cpu = Integer.toString(i);
      group.append(member("Job", "j" + i, 1, "9").replace("image: i", requesting(cpu)));
    }
    assertThat(answer(group.toString())).isEqualTo(1);
    assertThat(out.toString())
        .contains(
            "whether all 9 members fit at once has too many combinations to decide, or takes"
                + " longer than 10 s: use fewer kinds of members\n");
  }

  @Test
  void membersThatRunNeedNothing() throws IOException {
    inTheCluster("first-x7b2q", "\"nodeName\":\"worker-1\",");
    assertThat(answer(TEMPLATE + member("Job", "second", 2, "3"))).isZero();
    assertThat(out.toString()).startsWith("Group default/g: all 2 members fit at once\n");
  }

  @Test
  void aGroupCountsForItsQuotaAsAWhole() throws IOException {
    cluster.objects.create(
        new Resource(Cluster.DRIVER, "v1alpha1", "gpuquotas"),
        Json.parse(
            """
            {"apiVersion":"%s/v1alpha1","kind":"GpuQuota",
             "metadata":{"namespace":"default","name":"two"},"spec":{"hard":{"gpus":"2"}}}\
            """
                .formatted(Cluster.DRIVER)));
    assertThat(answer(TEMPLATE + member("Job", "a", 3, "3"))).isEqualTo(1);
    assertThat(out.toString()).contains("quota \"two\": gpus 0 of 2 in use, 3 more wanted");
    assertThat(answer(TEMPLATE + member("Job", "a", 2, "2"))).isZero();
  }
}
