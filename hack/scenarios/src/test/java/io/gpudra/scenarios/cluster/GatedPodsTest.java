package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.process.Child;
import io.gpudra.simulator.http.RequestLog;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pods at their gate with the shipped binaries: two controllers, 64 GPUs on four nodes. */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class GatedPodsTest {
  private static final int PODS = 64;
  private static final String OURS = "{name: %s/granted}".formatted(Binaries.DRIVER_NAME);

  @RegisterExtension
  static final ClusterUnderTest cluster =
      new ClusterUnderTest(
          new Plan(
                  ImmutableMap.of(
                      "worker-0", "latest:16",
                      "worker-1", "latest:16",
                      "worker-2", "latest:16",
                      "worker-3", "latest:16"),
                  2,
                  0)
              .with("--gates"));

  private static void createGated(String ns, String name, String gates, String more)
      throws Exception {
    cluster.create(
        Given.claim(ns, name, "gpu.example.com"),
        Given.podWith(ns, name, "schedulingGates: [%s]\n  %s".formatted(gates, more), name));
  }

  @Test
  void aGatedPodRunsAndCostsThreeCalls() throws Exception {
    String ns = "gated-calls";
    cluster.create(Given.namespace(ns));
    createGated(ns, "p", OURS, "");
    cluster.untilRunning(ns, "p");

    assertThat(cluster.controllerCalls(entry -> entry.namespace().equals(ns)))
        .extracting(RequestLog.Entry::resource)
        .as("finalizer, status, gate")
        .containsExactly("resourceclaims", "resourceclaims/status", "pods");
    cluster.delete(ns, "p");
  }

  @Test
  void selectorOfThePodAndItsGrantAgree() throws Exception {
    String ns = "gated-selector";
    cluster.create(Given.namespace(ns));
    createGated(ns, "p", OURS, Given.on("worker-3"));
    cluster.untilRunning(ns, "p");

    assertThat(cluster.pod(ns, "p").orElseThrow().at("/spec/nodeName").asText())
        .isEqualTo("worker-3");
    cluster.delete(ns, "p");
  }

  @Test
  void nothingIsGrantedWhileAnotherGateHoldsThePod() throws Exception {
    String ns = "gated-held";
    cluster.create(Given.namespace(ns));
    createGated(ns, "held", OURS + ", {name: example.com/mine}", "");
    createGated(ns, "free", OURS, "");
    cluster.untilRunning(ns, "free");
    assertThat(cluster.isAllocated(ns, "held")).isFalse();

    removeGates(ns, "held", "example.com/mine");
    cluster.untilRunning(ns, "held");
    cluster.delete(ns, "held");
    cluster.delete(ns, "free");
  }

  private static void removeGates(String ns, String pod, String gate) throws Exception {
    String path = "/api/v1/namespaces/" + ns + "/pods/" + pod;
    ObjectNode object = (ObjectNode) cluster.client().get(path);
    var gates = object.withObject("/spec").withArrayProperty("schedulingGates");
    for (int i = gates.size() - 1; i >= 0; i--) {
      if (gates.get(i).path("name").asText().equals(gate)) {
        gates.remove(i);
      }
    }
    cluster.client().put(path, object);
  }

  private static List<String> gates(String ns, String pod) throws Exception {
    return cluster.pod(ns, pod).orElseThrow().at("/spec/schedulingGates").findValuesAsText("name");
  }

  @Test
  void twoDriversDoNotWaitForEachOther() throws Exception {
    String ns = "gated-two-drivers";
    String theirs = "nic.resource.other.com/granted";
    cluster.create(
        Given.namespace(ns),
        """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClass
        metadata: {name: nic.other.com}
        driverName: nic.resource.other.com
        """,
        Given.claim(ns, "gpu", "gpu.example.com"),
        Given.claim(ns, "nic", "nic.other.com"),
        Given.podWith(
            ns, "both", "schedulingGates: [%s, {name: %s}]".formatted(OURS, theirs), "gpu", "nic"));
    createGated(ns, "ours", OURS + ", {name: " + theirs + "}", "");

    cluster.until("our gate is gone", () -> gates(ns, "both").equals(List.of(theirs)));
    assertThat(cluster.isAllocated(ns, "gpu")).as("the scheduler chooses the node").isFalse();
    cluster.until("a claim of ours is granted", () -> gates(ns, "ours").equals(List.of(theirs)));
    assertThat(cluster.isAllocated(ns, "ours")).isTrue();
    removeGates(ns, "ours", theirs);
    cluster.untilRunning(ns, "ours");
    cluster.delete(ns, "ours");
    cluster.delete(ns, "both");
  }

  @Test
  void aTenantThatCreatesAndDeletesPodsAllTheTimeHoldsNobodyUp() throws Exception {
    String busy = "gated-busy";
    String calm = "gated-calm";
    cluster.create(Given.namespace(busy), Given.namespace(calm));
    for (int i = 0; i < PODS; i++) {
      createGated(busy, "p-" + i, OURS, "");
      if (i % 8 == 0) {
        createGated(calm, "p-" + i, OURS, "");
      }
      cluster.deleteByForce(busy, "p-" + i);
      cluster.deleteClaim(busy, "p-" + i);
    }
    for (int i = 0; i < PODS; i += 8) {
      cluster.untilRunning(calm, "p-" + i);
    }
    cluster.until("nothing is left of the others", () -> claims(busy) == 0);
    for (int i = 0; i < PODS; i += 8) {
      cluster.delete(calm, "p-" + i);
    }
  }

  private static int claims(String ns) throws Exception {
    return cluster.client().get(ClusterUnderTest.DRA + ns + "/resourceclaims").path("items").size();
  }

  @Test
  void aLeaderKilledAmongManyPodsLosesNone() throws Exception {
    String ns = "gated-killed";
    cluster.create(Given.namespace(ns));
    cluster.until("a controller leads", () -> cluster.leader().isPresent());
    Child leader = cluster.leader().orElseThrow();
    for (int i = 0; i < PODS; i++) {
      createGated(ns, "p-" + i, OURS, "");
      if (i == PODS / 2) {
        leader.kill();
        cluster.replaceDeadControllers();
      }
    }
    Set<String> used = new HashSet<>();
    for (int i = 0; i < PODS; i++) {
      cluster.untilRunning(ns, "p-" + i);
      used.addAll(cluster.seenBy(ns, "p-" + i));
    }
    assertThat(used).as("each pod has a GPU of its own").hasSize(PODS);
    for (int i = 0; i < PODS; i++) {
      cluster.delete(ns, "p-" + i);
    }
  }
}
