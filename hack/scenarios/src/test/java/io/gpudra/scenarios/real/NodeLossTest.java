package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.scenarios.cluster.Given;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A node's processes are killed, all at once, and it comes back later. */
@Tag("real")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class NodeLossTest {
  private static final String LOST = "worker-2";
  private static final String DELETED = "worker-1";
  private static final String TOLERATION =
      "\n  tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute%s}]";
  private static final String STAYS = TOLERATION.formatted("");
  private static final String LEAVES = TOLERATION.formatted(", tolerationSeconds: 0");
  private static final int GPUS = 8;

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @Test
  @ResourceLock(LOST)
  void a_node_that_comes_back_runs_what_stayed_and_releases_what_was_evicted() throws Exception {
    String ns = cluster.namespace("node-lost", LOST);
    cluster.create(
        Given.claim(ns, "stays", "gpu.example.com"),
        Given.claim(ns, "leaves", "gpu.example.com"),
        Given.podWith(ns, "stays", Given.on(LOST) + STAYS, "stays").replace("Never", "Always"),
        Given.podWith(ns, "leaves", Given.on(LOST) + LEAVES, "leaves"));
    awaitRunning(ns, "stays");
    awaitRunning(ns, "leaves");

    cluster.node("stop", LOST);
    cluster.until("the pod is evicted", () -> isDeleting(ns, "leaves"));
    assertThat(cluster.isAllocated(ns, "leaves")).as("its containers may still run").isTrue();
    cluster.node("start", LOST);

    cluster.until("the evicted pod is gone", () -> cluster.pod(ns, "leaves").isEmpty());
    cluster.until("its claim is released", () -> !cluster.isAllocated(ns, "leaves"));
    cluster.until(
        "the other pod's container was started again",
        () -> restarts(ns, "stays") > 0 && !cluster.seenBy(ns, "stays").isEmpty());
    assertThat(cluster.seenBy(ns, "stays")).isEqualTo(cluster.granted(ns, "stays")).hasSize(1);
    cluster.delete(ns, "stays");
    everyGpuIsUsable(ns, LOST);
  }

  @Test
  @ResourceLock(DELETED)
  void a_node_that_was_deleted_while_it_was_away_comes_back_with_every_GPU_free() throws Exception {
    String ns = cluster.namespace("node-deleted", DELETED);
    cluster.create(
        Given.claim(ns, "named", "gpu.example.com"),
        Given.podWith(ns, "lost", Given.on(DELETED) + STAYS, "named"));
    awaitRunning(ns, "lost");

    cluster.node("stop", DELETED);
    cluster.client().delete("/api/v1/nodes/" + DELETED);
    cluster.until("the pod is gone", () -> cluster.pod(ns, "lost").isEmpty());
    cluster.until("its claim is released", () -> !cluster.isAllocated(ns, "named"));
    cluster.until(
        "the inventory is gone",
        () -> cluster.client().find(RealClusterUnderTest.INVENTORIES + "/" + DELETED).isEmpty());
    cluster.node("start", DELETED);

    cluster.awaitPluginOn(DELETED);
    everyGpuIsUsable(ns, DELETED);
  }

  private void everyGpuIsUsable(String ns, String node) throws Exception {
    cluster.create(
        Given.parameters(ns, "all", "{count: %d}".formatted(GPUS)),
        Given.claimWith(ns, "all", "all"),
        Given.podWith(ns, "all", Given.on(node), "all"));
    awaitRunning(ns, "all");
    assertThat(cluster.seenBy(ns, "all")).isEqualTo(cluster.granted(ns, "all")).hasSize(GPUS);
  }

  private void awaitRunning(String ns, String pod) {
    cluster.until(
        pod + " runs",
        () -> cluster.isPhase(ns, pod, "Running") && !cluster.seenBy(ns, pod).isEmpty());
  }

  private boolean isDeleting(String ns, String pod) throws Exception {
    return cluster.pod(ns, pod).filter(p -> p.at("/metadata").has("deletionTimestamp")).isPresent();
  }

  private int restarts(String ns, String pod) throws Exception {
    JsonNode object = cluster.pod(ns, pod).orElseThrow();
    return object.at("/status/containerStatuses/0/restartCount").asInt();
  }
}
