package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.scenarios.cluster.Given;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/** A plugin that has of its node the driver's root and NVIDIA's runtime, and no privileges. */
@Tag("stub")
@Isolated
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class UnprivilegedTest {
  private static final String NAMESPACE = RealClusterUnderTest.NAMESPACE;
  private static final String PLUGIN = "gpudra-kubeletplugin";
  private static final String PLUGINS = "daemonset/" + PLUGIN;
  private static final String RUNTIME = "/spec/template/spec/runtimeClassName";

  private static final String NO_RUNTIME =
      "a plugin that is not privileged sees it with NVIDIA's runtime alone";

  /** Some of its GPUs can be cut and are not. */
  private static final String NODE = "worker-1";

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @BeforeEach
  void takePrivileges() throws Exception {
    install("local-stub-unprivileged");
  }

  @AfterEach
  void giveThemBack() throws Exception {
    install("local-stub");
    cluster.kubectl("delete", "runtimeclass", "nvidia");
  }

  private void install(String overlay) throws Exception {
    cluster.kubectl("apply", "-k", "../../manifests/overlays/" + overlay);
    cluster.kubectl("-n", NAMESPACE, "rollout", "status", PLUGINS, "--timeout=180s");
  }

  @Test
  void wholeGPUsAreServedAllElseIsRefusedAndWithoutTheRuntimeNothingIsServed() throws Exception {
    assertThat(ofPlugin("grep CapEff /proc/$PID/status"))
        .isEqualToIgnoringWhitespace("CapEff: 0000000000000000");
    assertThat(ofPlugin("grep ' /node/run/nvidia/driver ' /proc/$PID/mounts")).contains(" ro,");
    String ns = cluster.namespace("unprivileged", NODE);
    cluster.create(Given.claim(ns, "whole", "gpu.example.com"), on(ns, "whole"));
    cluster.until("the pod runs", () -> !cluster.seenBy(ns, "whole").isEmpty());
    assertThat(cluster.seenBy(ns, "whole")).isEqualTo(cluster.granted(ns, "whole")).hasSize(1);
    assertThat(cluster.kubectl("-n", ns, "exec", "whole", "--", "ls", "/dev"))
        .containsPattern("nvidia[0-7]\n")
        .contains("nvidiactl\n");

    refuses(ns, "turns", "{sharing: {strategy: TimeSlicing, timeSlicingConfig: {interval: Long}}}");
    refuses(ns, "mps", "{sharing: {strategy: MPS}}");
    cluster.create(
        Given.parameters(ns, "mig", "{migProfile: 1g.10gb}"),
        Given.claimWith(ns, "mig", "mig"),
        on(ns, "mig"));
    isTold(ns, "mig", "no GPU of the cluster can be cut into MIG devices");

    cluster.kubectl(
        "-n",
        NAMESPACE,
        "patch",
        PLUGINS,
        "--type=json",
        "-p=[{\"op\": \"remove\", \"path\": \"%s\"}]".formatted(RUNTIME));
    cluster.until("a node has no driver", () -> missed().contains(NO_RUNTIME));
    cluster.until(
        "its plugin says so",
        () ->
            cluster
                .kubectl(
                    "-n", NAMESPACE, "logs", "--tail=-1", "-l", "app.kubernetes.io/name=" + PLUGIN)
                .contains(
                    "no GPU can be served yet reason=\"nvmlInitWithFlags: Driver Not Loaded"));
  }

  /** What a shell on the node says of the plugin's process. */
  private String ofPlugin(String command) throws Exception {
    String pid = "PID=$(pgrep -f '[k]ubeletplugin.app.PluginMain')";
    return cluster.node("exec", NODE, "sh", "-c", pid + "; " + command);
  }

  private static String on(String ns, String claim) {
    return Given.podWith(ns, claim, Given.on(NODE), claim);
  }

  /** And keeps nothing of it. */
  private void refuses(String ns, String name, String spec) throws Exception {
    cluster.create(Given.parameters(ns, name, spec), Given.claimWith(ns, name, name), on(ns, name));
    isTold(ns, name, "the plugin must be privileged");
    cluster.delete(ns, name);
    cluster.until("it is gone", () -> cluster.pod(ns, name).isEmpty());
    cluster.until(
        "no GPU is kept for it", () -> cluster.prepared(NODE).equals(Set.of(ns + "/whole")));
  }

  private void isTold(String ns, String pod, String why) {
    cluster.until(
        pod + " is told why",
        () -> cluster.kubectl("-n", ns, "describe", "pod", pod).contains(why));
  }

  /** What inventories say of drivers that are not found. */
  private String missed() throws Exception {
    StringBuilder missed = new StringBuilder();
    for (JsonNode inventory :
        cluster.client().get(RealClusterUnderTest.INVENTORIES).path("items")) {
      for (JsonNode condition : inventory.at("/status/conditions")) {
        if (condition.path("reason").asText().equals("GpuDriverNotFound")) {
          missed.append(condition.path("message").asText());
        }
      }
    }
    return missed.toString();
  }
}
