package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an older schema, another release or a person with kubectl may have stored. */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class StrangeObjectsTest {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String ANYTHING_GOES =
      "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}";

  @RegisterExtension
  static final ClusterUnderTest cluster =
      ClusterUnderTest.withNodes(ImmutableMap.of("worker-0", "t4", "worker-1", "t4"));

  @Test
  void malformedCustomResourcesBlockNobodyElse() throws Exception {
    String ns = "malformed";
    List.of("gpuclaimparameters", "gpuclassparameters", "nodeinventories")
        .forEach(StrangeObjectsTest::dropSchema);
    cluster.create(
        Given.namespace(ns),
        Given.parameters(ns, "text", "{count: many, cel: [1]}"),
        Given.parameters(ns, "list", "[1, 2]"),
        Given.parameters(ns, "number", "7"),
        """
        apiVersion: gpu.resource.example.com/v1alpha1
        kind: GpuClassParameters
        metadata: {name: broken}
        spec: {deviceSelector: all of them, shareable: 3}
        """,
        """
        apiVersion: gpu.resource.example.com/v1alpha1
        kind: NodeInventory
        metadata: {name: ghost}
        status: {driverName: [x], gpus: lots, devices: {a: b}, preparedClaims: 5, heartbeatTime: soon}
        """,
        Given.claimWith(ns, "of-text", "text"),
        Given.pod(ns, "waits", "of-text"));
    runs(ns, "fine");
    assertThat(cluster.isAllocated(ns, "of-text")).isFalse();
    nobodyDied();
  }

  @Test
  void unreadableHandlesBlockNoOtherNodeAndNobodyDies() throws Exception {
    String ns = "unreadable";
    cluster.create(Given.namespace(ns));
    allocatedWith(ns, "no-json", "}{", "worker-0");
    allocatedWith(ns, "newer", "{\"v\":99}", "worker-0");
    allocatedWith(ns, "no-node", "", "");
    cluster.create(Given.podWith(ns, "uses-it", "nodeName: worker-0", "no-json"));
    runs(ns, "fine");
    assertThat(cluster.pod(ns, "fine").orElseThrow().at("/spec/nodeName").asText())
        .as("a node with an unreadable grant gets no new ones")
        .isEqualTo("worker-1");
    nobodyDied();
  }

  private static void runs(String ns, String pod) throws Exception {
    cluster.create(Given.claim(ns, pod, "gpu.example.com"), Given.pod(ns, pod, pod));
    cluster.until("an ordinary pod runs", () -> cluster.isPhase(ns, pod, "Running"));
    assertThat(cluster.seenBy(ns, pod)).hasSize(1).isEqualTo(cluster.granted(ns, pod));
  }

  private static void nobodyDied() {
    assertThat(cluster.cluster().fault()).isEmpty();
  }

  private static void dropSchema(String plural) {
    String path =
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
            + plural
            + ".gpu.resource.example.com";
    try {
      ObjectNode definition = (ObjectNode) cluster.client().get(path);
      for (JsonNode version : definition.at("/spec/versions")) {
        ((ObjectNode) version)
            .withObject("/schema")
            .set("openAPIV3Schema", JSON.readTree(ANYTHING_GOES));
        ((ObjectNode) version).remove("subresources");
      }
      cluster.client().put(path, definition);
    } catch (Exception e) {
      throw new AssertionError("cannot drop the schema of " + plural, e);
    }
  }

  private static void allocatedWith(String ns, String name, String handle, String node)
      throws Exception {
    cluster.create(Given.claim(ns, name, "foreign-until-written"));
    ObjectNode claim = (ObjectNode) cluster.claim(ns, name).orElseThrow();
    ObjectNode status = claim.withObject("/status");
    status.put("driverName", Binaries.DRIVER_NAME);
    ObjectNode allocation = status.withObject("/allocation").put("shareable", true);
    allocation
        .withArray("/resourceHandles")
        .addObject()
        .put("driverName", Binaries.DRIVER_NAME)
        .put("data", handle);
    if (!node.isEmpty()) {
      ObjectNode field =
          allocation
              .withObject("/availableOnNodes")
              .withArray("/nodeSelectorTerms")
              .addObject()
              .withArray("/matchFields")
              .addObject();
      field.put("key", "metadata.name").put("operator", "In").putArray("values").add(node);
    }
    cluster.client().put(ClusterUnderTest.DRA + ns + "/resourceclaims/" + name + "/status", claim);
  }
}
