package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.scenarios.cluster.Given;
import java.util.List;
import java.util.Set;
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

  /** Those in MIG mode are whole GPUs only to who asks for the mode. */
  private static final String ANY_GPU = "{count: %d, cel: 'device.migEnabled in [true, false]'}";

  private static final String DELETED = "worker-1";
  private static final String TOLERATION =
      "\n  tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute%s}]";
  private static final String STAYS = TOLERATION.formatted("");
  private static final String LEAVES = TOLERATION.formatted(", tolerationSeconds: 0");
  private static final int GPUS = 8;

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @Test
  @ResourceLock(LOST)
  void aNodeThatComesBackRunsWhatStayedAndReleasesWhatWasEvicted() throws Exception {
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
    release(ns, "leaves");
    cluster.until(
        "the other pod's container was started again",
        () -> restarts(ns, "stays") > 0 && !cluster.seenBy(ns, "stays").isEmpty());
    assertThat(cluster.seenBy(ns, "stays")).isEqualTo(cluster.granted(ns, "stays")).hasSize(1);
    cluster.delete(ns, "stays");
    release(ns, "stays");
    everyGpuIsUsable(ns, LOST);
  }

  @Test
  @ResourceLock(DELETED)
  void aNodeThatWasDeletedWhileItWasAwayComesBackWithEveryGPUFree() throws Exception {
    String ns = cluster.namespace("node-deleted", DELETED);
    cluster.create(
        Given.claim(ns, "named", "gpu.example.com"),
        Given.podWith(ns, "lost", Given.on(DELETED) + STAYS, "named"));
    awaitRunning(ns, "lost");

    cluster.node("stop", DELETED);
    cluster.client().delete("/api/v1/nodes/" + DELETED);
    cluster.until("the pod is gone", () -> cluster.pod(ns, "lost").isEmpty());
    release(ns, "named");
    cluster.until(
        "the inventory is gone",
        () -> cluster.client().find(RealClusterUnderTest.INVENTORIES + "/" + DELETED).isEmpty());
    cluster.node("start", DELETED);

    cluster.awaitPluginOn(DELETED);
    everyGpuIsUsable(ns, DELETED);
  }

  /** The kubelet still has the first pod's handle under the claim's name. */
  @Test
  @ResourceLock(LOST)
  void aClaimThatIsUsedAgainAfterAPowerCutGivesWhatItIsGrantedByThen() throws Exception {
    String ns = cluster.namespace("used-again", LOST);
    run(ns, "first", "named", Given.on(LOST) + STAYS);
    Set<String> before = cluster.granted(ns, "named");

    cluster.node("stop", LOST);
    cluster.deleteByForce(ns, "first");
    release(ns, "named");
    cluster.node("start", LOST);
    cluster.awaitPluginOn(LOST);
    cluster.until("the node says that it holds nothing", () -> cluster.heldClaims().isEmpty());

    run(ns, "newcomer", "other", Given.on(LOST));
    assertThat(cluster.seenBy(ns, "newcomer")).isEqualTo(before);
    cluster.create(Given.podWith(ns, "again", kubeletAsksAgain() ? Given.on(LOST) : "", "named"));
    awaitRunning(ns, "again");
    assertThat(cluster.seenBy(ns, "again")).isEqualTo(cluster.granted(ns, "named")).hasSize(1);
    assertThat(cluster.granted(ns, "named")).doesNotContainAnyElementsOf(before);

    for (String pod : List.of("again", "newcomer")) {
      cluster.delete(ns, pod);
      cluster.until(pod + " is gone", () -> cluster.pod(ns, pod).isEmpty());
    }
    // The kubelet counts the first pod, whose end it never saw, so that only a boot undoes this.
    cluster.node("stop", LOST);
    cluster.node("start", LOST);
    cluster.awaitPluginOn(LOST);
  }

  /** One of 1.27 does not, so a name that it may know is granted on other nodes. */
  private boolean kubeletAsksAgain() throws Exception {
    return !cluster
        .client()
        .get("/api/v1/nodes/" + LOST)
        .at("/status/nodeInfo/kubeletVersion")
        .asText()
        .startsWith("v1.27.");
  }

  private void run(String ns, String pod, String claim, String where) throws Exception {
    cluster.create(Given.claim(ns, claim, "gpu.example.com"), Given.podWith(ns, pod, where, claim));
    awaitRunning(ns, pod);
    assertThat(cluster.seenBy(ns, pod)).isEqualTo(cluster.granted(ns, claim)).hasSize(1);
  }

  /** As the claim controller does since 1.28, and before that somebody has to. */
  private void release(String ns, String claim) throws Exception {
    if (!kubeletAsksAgain()) {
      cluster.until(
          "nobody uses the claim",
          () -> cluster.claim(ns, claim).orElseThrow().at("/status/reservedFor").isEmpty());
      cluster.kubectl(
          "patch",
          "resourceclaim",
          claim,
          "--namespace=" + ns,
          "--subresource=status",
          "--type=merge",
          "--patch={\"status\": {\"deallocationRequested\": true}}");
    }
    cluster.until("the claim is released", () -> !cluster.isAllocated(ns, claim));
  }

  private void everyGpuIsUsable(String ns, String node) throws Exception {
    cluster.create(
        Given.parameters(ns, "all", ANY_GPU.formatted(GPUS)),
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
