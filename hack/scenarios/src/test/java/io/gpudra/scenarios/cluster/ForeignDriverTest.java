package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two drivers serve one pod; the other one is played by the test. */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ForeignDriverTest {
  private static final String NS = "two-drivers";
  private static final String CONTEXT =
      ClusterUnderTest.DRA + NS + "/podschedulingcontexts/three-claims";
  private static final String FOREIGN = "nic.resource.other.com";

  @RegisterExtension
  static final ClusterUnderTest cluster =
      ClusterUnderTest.withNodes(ImmutableMap.of("worker-0", "t4", "worker-1", "t4"));

  @Test
  void aPodWithTwoClaimsOfOursAndOneOfAnotherDriverGetsAllThree() throws Exception {
    cluster.create(
        Given.namespace(NS),
        """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClass
        metadata: {name: nic.other.com}
        driverName: %s
        """
            .formatted(FOREIGN),
        Given.claim(NS, "gpu-a", "gpu.example.com"),
        Given.claim(NS, "gpu-b", "gpu.example.com"),
        Given.claim(NS, "nic", "nic.other.com"),
        Given.pod(NS, "three-claims", "gpu-a", "gpu-b", "nic"));
    cluster.until("our two entries are there, though empty", () -> entry("gpu-b").isPresent());
    assertThat(entry("gpu-a").orElseThrow().path("unsuitableNodes")).isEmpty();
    assertThat(cluster.isAllocated(NS, "gpu-a")).isFalse();

    publishForeignEntry();
    cluster.until("a node is selected", () -> !selectedNode().isEmpty());
    assertThat(entry("nic").orElseThrow().at("/unsuitableNodes/0").asText()).isEqualTo("worker-0");
    assertThat(selectedNode()).isEqualTo("worker-1");
    cluster.until(
        "ours are allocated",
        () -> cluster.isAllocated(NS, "gpu-a") && cluster.isAllocated(NS, "gpu-b"));
    allocateForeignClaim();
    cluster.until(
        "the pod is bound",
        () ->
            cluster
                .pod(NS, "three-claims")
                .filter(pod -> pod.at("/spec/nodeName").asText().equals("worker-1"))
                .isPresent());
    assertThat(cluster.granted(NS, "gpu-a"))
        .doesNotContainAnyElementsOf(cluster.granted(NS, "gpu-b"));
    JsonNode nic = cluster.claim(NS, "nic").orElseThrow();
    assertThat(nic.at("/status/driverName").asText()).isEqualTo(FOREIGN);
    assertThat(nic.at("/metadata/finalizers")).isEmpty();
  }

  private static Optional<JsonNode> entry(String claim) throws Exception {
    return cluster
        .client()
        .find(CONTEXT)
        .flatMap(
            context ->
                StreamSupport.stream(context.at("/status/resourceClaims").spliterator(), false)
                    .filter(one -> one.path("name").asText().equals(claim))
                    .findFirst());
  }

  private static String selectedNode() throws Exception {
    return cluster
        .client()
        .find(CONTEXT)
        .map(context -> context.at("/spec/selectedNode").asText(""))
        .orElse("");
  }

  /** As a driver with the Go helper does: read, change, PUT. */
  private static void publishForeignEntry() throws Exception {
    ObjectNode context = (ObjectNode) cluster.client().get(CONTEXT);
    ArrayNode entries = context.withArray("/status/resourceClaims");
    entries.addObject().put("name", "nic").putArray("unsuitableNodes").add("worker-0");
    cluster.client().put(CONTEXT + "/status", context);
  }

  private static void allocateForeignClaim() throws Exception {
    ObjectNode claim = (ObjectNode) cluster.claim(NS, "nic").orElseThrow();
    ObjectNode status = claim.withObject("/status");
    status.put("driverName", FOREIGN);
    status.withObject("/allocation").put("shareable", true);
    cluster.client().put(ClusterUnderTest.DRA + NS + "/resourceclaims/nic/status", claim);
  }
}
