package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pods of equal priority wait for a quota, with the shipped binaries and three nodes of a GPU. */
@Tag("process")
class QuotaOrderTest {
  private static final String QUOTA =
      """
      apiVersion: gpu.resource.example.com/v1alpha1
      kind: GpuQuota
      metadata: {namespace: %s, name: team}
      spec: {hard: {gpus: 1}}
      """;

  @RegisterExtension
  static final ClusterUnderTest cluster =
      new ClusterUnderTest(
          new Plan(
                  ImmutableMap.of(
                      "worker-0", "latest:1", "worker-1", "latest:1", "full", "latest:1"),
                  1,
                  0)
              .with("--gates"));

  private static void waits(String ns, String pod, String more) throws Exception {
    cluster.createWithClaim(ns, pod, more);
    cluster.until(pod + " is told of the quota", () -> isTold(ns, pod));
  }

  private static boolean isTold(String ns, String pod) throws Exception {
    JsonNode events = cluster.client().get("/api/v1/namespaces/" + ns + "/events").path("items");
    return events.findValuesAsText("message").stream()
        .anyMatch(message -> message.startsWith("claim %s/%s: quota".formatted(ns, pod)));
  }

  /**
   * A pod that ends has the scheduler try all others again, whose passes may be under way by then.
   */
  private static void raise(String ns) throws Exception {
    String path = "/apis/gpu.resource.example.com/v1alpha1/namespaces/%s/gpuquotas/team";
    ObjectNode quota = (ObjectNode) cluster.client().get(path.formatted(ns));
    quota.withObject("/spec/hard").put("gpus", 2);
    cluster.client().put(path.formatted(ns), quota);
  }

  private static String selectedNode(String ns, String pod) throws Exception {
    return cluster
        .client()
        .get(ClusterUnderTest.DRA + ns + "/podschedulingcontexts/" + pod)
        .at("/spec/selectedNode")
        .asText();
  }

  /** The scheduler may begin with the node that the holder fills. */
  private static String freeNodeOf(String ns, String pod) throws Exception {
    cluster.until(pod + " selects a free node", () -> selectedNode(ns, pod).startsWith("worker-"));
    return selectedNode(ns, pod);
  }

  @ParameterizedTest
  @CsvSource({"false, true", "true, false", "false, false", "true, true"})
  void theOlderPodIsServedFirstAlsoIfItsNodeIsTakenByOthers(boolean old, boolean young)
      throws Exception {
    String ns = "age-%s-%s".formatted(old, young);
    String others = ns + "-others";
    cluster.create(Given.namespace(ns), Given.namespace(others), QUOTA.formatted(ns));
    cluster.createWithClaim(ns, "holder", Given.on("full"));
    cluster.untilRunning(ns, "holder");
    waits(ns, "old", old ? Given.GATE : "");
    long second = Instant.now().getEpochSecond();
    cluster.until("pods differ in age", () -> Instant.now().getEpochSecond() > second);
    waits(ns, "young", young ? Given.GATE : "");
    String node = old ? "worker-0" : freeNodeOf(ns, "old");
    cluster.createWithClaim(others, "other", Given.on(node));
    cluster.untilRunning(others, "other");

    raise(ns);
    cluster.untilRunning(ns, "old");
    assertThat(cluster.isAllocated(ns, "young")).isFalse();
    cluster.deleteWithClaim(ns, "old");
    cluster.untilRunning(ns, "young");
    cluster.deleteWithClaim(ns, "young");
    cluster.deleteWithClaim(ns, "holder");
    cluster.deleteWithClaim(others, "other");
  }
}
