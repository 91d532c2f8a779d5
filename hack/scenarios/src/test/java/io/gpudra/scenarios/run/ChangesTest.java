package io.gpudra.scenarios.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.simulator.EmbeddedApiServer;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class ChangesTest {
  private static final String NODE = "/api/v1/nodes/worker-0";
  private static final String PODS = "/api/v1/namespaces/n/pods";

  private final EmbeddedApiServer server = EmbeddedApiServer.start(0);
  private final ClusterClient cluster = new ClusterClient(server.url());
  private final Changes changes = new Changes(cluster, Kubernetes.WITHOUT_WORKLOADS, "n");

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void whatIsNewGoesToTheNamespaceAndIsDeleted() throws Exception {
    cluster.create(object("{apiVersion: v1, kind: Namespace, metadata: {name: n}}"));
    changes.apply(object("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: one}}"));
    assertThat(cluster.find("/api/v1/namespaces/n/configmaps/a")).isPresent();
    assertThat(changes.undoAll()).containsExactly("/api/v1/namespaces/n/configmaps/a");
    assertThat(cluster.find("/api/v1/namespaces/n/configmaps/a")).isEmpty();
  }

  @Test
  void whatWasThereBeforeIsAsItWas() throws Exception {
    cluster.create(
        object(
            "{apiVersion: v1, kind: Node, metadata: {name: worker-0, labels: {old: x, both: x}}}"));
    changes.apply(
        object(
            "{apiVersion: v1, kind: Node, metadata: {name: worker-0, labels: {both: y, new: y}}}"));
    changes.apply(
        object("{apiVersion: v1, kind: Node, metadata: {name: worker-0, labels: {both: z}}}"));
    assertThat(cluster.get(NODE).at("/metadata/labels").toString())
        .isEqualTo("{\"old\":\"x\",\"both\":\"z\",\"new\":\"y\"}");
    assertThat(changes.undoAll()).isEmpty();
    assertThat(cluster.get(NODE).at("/metadata/labels").toString())
        .isEqualTo("{\"old\":\"x\",\"both\":\"x\"}");
  }

  @Test
  void aDeploymentIsItsPodsWhereNobodyMakesThem() throws Exception {
    cluster.create(object("{apiVersion: v1, kind: Namespace, metadata: {name: n}}"));
    changes.apply(deployment(3));
    assertThat(pods()).containsExactly("web-0", "web-1", "web-2");
    changes.apply(deployment(1));
    assertThat(pods()).containsExactly("web-0");
    changes.apply(deployment(2));
    assertThat(changes.undo(ImmutableList.of(deployment(2))))
        .containsExactly(PODS + "/web-1", PODS + "/web-0");
    assertThat(pods()).isEmpty();
  }

  private List<String> pods() throws IOException, InterruptedException {
    return cluster.get(PODS).path("items").findValuesAsText("name").stream()
        .filter(name -> name.startsWith("web-"))
        .toList();
  }

  private static ObjectNode deployment(int replicas) throws IOException {
    return object(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web}
        spec:
          replicas: %d
          template:
            metadata: {labels: {app: web}}
            spec: {containers: [{name: c, image: busybox}]}
        """
            .formatted(replicas));
  }

  private static ObjectNode object(String text) throws IOException {
    return Manifests.parse(text, "test").get(0);
  }
}
