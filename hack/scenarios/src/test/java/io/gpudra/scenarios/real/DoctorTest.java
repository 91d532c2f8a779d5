package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.gpudra.scenarios.cluster.Given;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Symptoms of {@code docs/operate/troubleshooting.md} that need a real cluster: each is made, the
 * command says the cause, the remedy is done, and afterwards it says that nothing is wrong.
 */
@Tag("real")
@Isolated
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class DoctorTest {
  private static final String NODE = "worker-2";
  private static final String PLUGINS = "daemonset/gpudra-kubeletplugin";

  /** Where a GPU is on the bus that has no driver. */
  private static final String KERNEL = "/var/lib/kubelet/plugins/gpu.resource.example.com/kernel";

  private static final String ARGUMENT = "/spec/template/spec/containers/0/args/-";
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @AfterEach
  void nothingIsWrongAfterwards() {
    says("nothing is wrong");
  }

  @Test
  void aClassNamesADriverThatNobodyServes() throws Exception {
    String ns = cluster.namespace("doctor-class");
    String name = "gpu-of-" + ns;
    cluster.create(
        resourceClass(name, "gpu.resource.exmaple.com"),
        Given.claim(ns, "gpu", name),
        Given.pod(ns, "pod", "gpu"));
    says("DriverNameMismatch: ResourceClass " + name);
    cluster.kubectl("delete", "resourceclass", name);
    cluster.create(resourceClass(name, "gpu.resource.example.com"));
    try {
      runs(ns);
    } finally {
      cluster.kubectl("delete", "resourceclass", name);
    }
  }

  private static String resourceClass(String name, String driver) {
    return """
        apiVersion: resource.k8s.io/v1alpha2
        kind: ResourceClass
        metadata: {name: %s}
        driverName: %s
        """
        .formatted(name, driver);
  }

  @Test
  void theControllerLacksARight() throws Exception {
    patch("clusterrole/gpudra-controller", "remove", "/rules/0", "");
    says("RightsMissing: service account gpudra/gpudra-controller");
    cluster.kubectl("apply", "-f", "../../manifests/base/controller-rbac.yaml");
    String ns = cluster.namespace("doctor-rights");
    cluster.create(Given.claim(ns, "gpu", "gpu.example.com"), Given.pod(ns, "pod", "gpu"));
    runs(ns);
  }

  @Test
  void thePluginsRunOnNoNode() throws Exception {
    patch(PLUGINS, "add", "/spec/template/spec/nodeSelector", "{\"gpudra-test\": \"yes\"}");
    says("NoInventory: node " + NODE);
    cluster.kubectl("label", "nodes", "--all", "gpudra-test=yes");
    cluster.awaitPluginOn(NODE);
    says("nothing is wrong");
    undo();
    cluster.kubectl("label", "nodes", "--all", "gpudra-test-");
  }

  @Test
  void aPluginFindsNoDriverOfItsGpus() throws Exception {
    if (cluster.overlay().equals("local")) {
      lookForADriver();
    } else {
      cluster.kubectl(
          "-n", RealClusterUnderTest.NAMESPACE, "set", "env", PLUGINS, "DRIVER_ROOT=/nowhere");
    }
    says("GpuDriverNotFound: node ");
    undo();
    cluster.node("exec", NODE, "rm", "-rf", KERNEL);
  }

  /** In place of having fake GPUs. */
  private void lookForADriver() throws Exception {
    String gpu = KERNEL + "/sys/bus/pci/devices/0000:01:00.0";
    cluster.node("exec", NODE, "mkdir", "-p", gpu);
    cluster.node("exec", NODE, "sh", "-c", "echo 0x10de > " + gpu + "/vendor");
    cluster.node("exec", NODE, "sh", "-c", "echo 0x030200 > " + gpu + "/class");
    patch(PLUGINS, "add", ARGUMENT, "\"--devices=nvidia\"}, " + added("--kernel-root=" + KERNEL));
  }

  /** The rest of a patch, without its last brace. */
  private static String added(String argument) {
    return "{\"op\": \"add\", \"path\": \"%s\", \"value\": \"%s\"".formatted(ARGUMENT, argument);
  }

  @Test
  void aKubeletRunsWithoutTheFeatureGate() throws Exception {
    gate("true", "false");
    says("FeatureGateOff: kubelet of " + NODE);
    gate("false", "true");
    assertThat(cluster.awaitPluginOn(NODE)).isNotEmpty();
  }

  private void gate(String from, String to) throws Exception {
    String change = "s/%1$s: %2$s/%1$s: %3$s/".formatted("DynamicResourceAllocation", from, to);
    cluster.node("exec", NODE, "sed", "-i", change, "/run/node/kubelet.yaml");
    cluster.node("restart-kubelet", NODE);
  }

  private void patch(String object, String operation, String path, String value) throws Exception {
    String more = value.isEmpty() ? "" : ", \"value\": " + value;
    cluster.kubectl(
        "-n",
        RealClusterUnderTest.NAMESPACE,
        "patch",
        object,
        "--type=json",
        "-p=[{\"op\": \"%s\", \"path\": \"%s\"%s}]".formatted(operation, path, more));
  }

  private void undo() throws Exception {
    cluster.kubectl("-n", RealClusterUnderTest.NAMESPACE, "rollout", "undo", PLUGINS);
    cluster.kubectl(
        "-n", RealClusterUnderTest.NAMESPACE, "rollout", "status", PLUGINS, "--timeout=120s");
  }

  private void runs(String namespace) {
    cluster.until("the pod runs", () -> cluster.isPhase(namespace, "pod", "Running"));
  }

  /** Asks until it does: what has just happened is told once it is known. */
  private void says(String cause) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(cluster.gpudra("doctor").text()).contains(cause));
  }
}
