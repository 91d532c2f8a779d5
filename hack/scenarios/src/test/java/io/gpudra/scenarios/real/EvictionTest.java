package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/** XIDs of a driver, and what becomes of the pods on its GPUs. */
@Tag("stub")
@Isolated
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class EvictionTest {
  private static final String NODE = "worker-0";
  private static final String SMI = "/run/nvidia/driver/usr/bin/nvidia-smi";
  private static final String HEALTH =
      "/var/lib/kubelet/plugins/gpu.resource.example.com/health.json";

  /** Of applications, and a memory error that only theirs met. */
  private static final List<Integer> HARMLESS = List.of(13, 31, 94);

  private static final int UNCONTAINED = 95;
  private static final String TOLD = "XID 95 (uncontained ECC error)";

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  private final Component evictions =
      new Component(cluster, ImmutableListMultimap.of("evictions", "rbac"));

  @BeforeEach
  void podsMayBeEvicted() throws Exception {
    evictions.add();
  }

  /** Nothing tells the plugin that GPUs were reset, as they are in no other way on a node. */
  @AfterEach
  void everyGpuIsWell() throws Exception {
    evictions.remove();
    String plugin = cluster.awaitPluginOn(NODE);
    cluster.node("exec", NODE, "rm", "-f", HEALTH);
    cluster.delete(RealClusterUnderTest.NAMESPACE, plugin);
    cluster.until("no GPU is tainted", () -> taints().isEmpty());
    cluster.until(
        "another plugin serves",
        () -> cluster.pluginOn(NODE).filter(now -> !now.equals(plugin)).isPresent());
  }

  @Test
  void podsLeaveGPUsThatOnlyAResetMendsAsTheirBudgetsAllow() throws Exception {
    String ns = cluster.namespace("evicted", NODE);
    cluster.create(template(ns), deployment(ns, "free"), deployment(ns, "guarded"), budget(ns));
    String free = awaitPods(ns, "free", 1, Set.of()).get(0);
    String guarded = awaitPods(ns, "guarded", 1, Set.of()).get(0);
    Map<String, String> why = Map.of(free, told(ns, free), guarded, told(ns, guarded));
    Set<String> broken =
        ImmutableSet.<String>builder()
            .addAll(cluster.seenBy(ns, free))
            .addAll(cluster.seenBy(ns, guarded))
            .build();
    assertThat(broken).hasSize(2);

    for (int xid : HARMLESS) {
      broken.forEach(gpu -> awaitPassedOver(gpu, xid));
    }
    assertThat(taints()).isEmpty();

    Watching pods = cluster.watch("--namespace=" + ns, "pods");
    cluster.until("the pods are watched", () -> pods.first(state -> true).isPresent());
    for (String gpu : broken) {
      tell(gpu, UNCONTAINED);
    }
    awaitEvicted(pods, free);
    awaitPods(ns, "free", 1, broken);
    cluster.until("the budget holds the other one back", this::isHeldBack);
    assertThat(cluster.pod(ns, guarded).orElseThrow().at("/metadata/deletionTimestamp").asText())
        .isEmpty();

    cluster.kubectl("--namespace=" + ns, "scale", "deployment/guarded", "--replicas=2");
    awaitEvicted(pods, guarded);
    awaitPods(ns, "guarded", 2, broken);
    assertThat(evicted(ns)).isEqualTo(why);
  }

  /** With the XID the plugin says why nothing follows. */
  private void awaitPassedOver(String gpu, int xid) {
    cluster.until(
        "XID %d of %s is passed over".formatted(xid, gpu),
        () -> {
          tell(gpu, xid);
          return cluster
              .kubectl("-n", RealClusterUnderTest.NAMESPACE, "logs", cluster.awaitPluginOn(NODE))
              .contains(
                  "XID is no reason to taint the GPU gpu=%s reason=\"XID %d ".formatted(gpu, xid));
        });
  }

  private void tell(String gpu, int xid) throws Exception {
    cluster.node("exec", NODE, SMI, "stub-xid", "-i", gpu, "-n", String.valueOf(xid));
  }

  private void awaitEvicted(Watching pods, String name) {
    cluster.until(
        name + " is evicted",
        () -> pods.first(state -> state.deleted() && state.name().equals(name)).isPresent());
    assertThat(
            pods.first(state -> state.name().equals(name) && !disruption(state).isEmpty())
                .map(EvictionTest::disruption))
        .contains("EvictionByEvictionAPI");
  }

  /** Why its pod is disrupted; empty when it is not. */
  private static String disruption(Watching.State state) {
    for (JsonNode condition : state.object().at("/status/conditions")) {
      if (condition.path("type").asText().equals("DisruptionTarget")) {
        return condition.path("reason").asText();
      }
    }
    return "";
  }

  /** Names of the pods of a deployment, once so many run and none has one of these GPUs. */
  private List<String> awaitPods(String ns, String deployment, int count, Set<String> butOn)
      throws Exception {
    cluster.until(
        "%d of %s run on other GPUs".formatted(count, deployment),
        () -> {
          List<String> names = pods(ns, deployment);
          Set<String> gpus = new HashSet<>();
          for (String name : names) {
            gpus.addAll(cluster.seenBy(ns, name));
          }
          return names.size() == count
              && gpus.size() == count
              && Sets.intersection(gpus, butOn).isEmpty();
        });
    return pods(ns, deployment);
  }

  private List<String> pods(String ns, String deployment) throws Exception {
    List<String> names = new ArrayList<>();
    for (JsonNode pod :
        cluster
            .client()
            .get("/api/v1/namespaces/%s/pods?labelSelector=app=%s".formatted(ns, deployment))
            .path("items")) {
      if (!pod.at("/metadata").has("deletionTimestamp")) {
        names.add(pod.at("/metadata/name").asText());
      }
    }
    return names;
  }

  /** The leader counts what the API server answers. */
  private boolean isHeldBack() throws Exception {
    boolean held = false;
    for (String controller : cluster.readyPods("gpudra-controller")) {
      held |=
          cluster
              .client()
              .text(
                  "/api/v1/namespaces/%s/pods/%s:8080/proxy/metrics"
                      .formatted(RealClusterUnderTest.NAMESPACE, controller))
              .lines()
              .anyMatch(
                  line ->
                      line.startsWith("gpudra_evictions_total{outcome=\"blocked\"")
                          && !line.endsWith(" 0.0"));
    }
    return held;
  }

  /** What events say of pods that were evicted, by the pod's name. */
  private Map<String, String> evicted(String ns) throws Exception {
    Map<String, String> told = new HashMap<>();
    for (JsonNode event :
        cluster
            .client()
            .get("/api/v1/namespaces/" + ns + "/events?fieldSelector=reason=Evicted")
            .path("items")) {
      if (event.at("/involvedObject/kind").asText().equals("Pod")) {
        told.put(event.at("/involvedObject/name").asText(), event.path("message").asText());
      }
    }
    return told;
  }

  /** What is to be said of the pod's GPU, by its name on the node. */
  private String told(String ns, String pod) throws Exception {
    Set<String> seen = cluster.seenBy(ns, pod);
    for (JsonNode device : devices()) {
      if (seen.contains(device.path("uuid").asText())) {
        return device.path("name").asText() + ": " + TOLD;
      }
    }
    return "";
  }

  private List<String> taints() throws Exception {
    return devices().findValuesAsText("effect");
  }

  private JsonNode devices() throws Exception {
    return cluster
        .client()
        .get(RealClusterUnderTest.INVENTORIES + "/" + NODE)
        .at("/status/devices");
  }

  private static String template(String ns) {
    return """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClaimTemplate
        metadata: {namespace: %s, name: gpu}
        spec: {spec: {resourceClassName: gpu.example.com}}
        """
        .formatted(ns);
  }

  private static String deployment(String ns, String name) {
    return """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {namespace: %1$s, name: %2$s}
        spec:
          selector: {matchLabels: {app: %2$s}}
          template:
            metadata: {labels: {app: %2$s}}
            spec:
              nodeSelector: {kubernetes.io/hostname: %3$s}
              containers:
              - name: ctr0
                image: busybox
                imagePullPolicy: IfNotPresent
                command: [sh, -c, "env | sort; trap 'exit 0' TERM; sleep infinity & wait"]
                resources: {claims: [{name: gpu}]}
              resourceClaims: [{name: gpu, source: {resourceClaimTemplateName: gpu}}]
        """
        .formatted(ns, name, NODE);
  }

  private static String budget(String ns) {
    return """
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {namespace: %s, name: guarded}
        spec: {minAvailable: 1, selector: {matchLabels: {app: guarded}}}
        """
        .formatted(ns);
  }
}
