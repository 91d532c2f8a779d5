package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

@Tag("real")
@Isolated
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class DisruptedBurstTest {
  private static final String SERVERS = "/var/lib/kubelet/plugins/gpu.resource.example.com/mps";

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @Test
  void deletingTheLeaderInABurstOf30PodsLosesNothing() throws Exception {
    FinishingBurst burst = FinishingBurst.start(cluster, "burst-leader");
    burst.awaitMiddle();
    String leader = cluster.leader();
    cluster.delete(RealClusterUnderTest.NAMESPACE, leader);
    burst.loseNothing();
    assertThat(cluster.leader()).isNotEqualTo(leader);
    cluster.until(
        "both replicas are ready", () -> cluster.readyPods("gpudra-controller").size() == 2);
  }

  @Test
  void aRollingUpdateOfTheControllerInABurstLosesNothing() throws Exception {
    List<String> before = cluster.readyPods("gpudra-controller");
    FinishingBurst burst = FinishingBurst.start(cluster, "burst-deployment");
    burst.awaitMiddle();
    restart("deployment/gpudra-controller");
    burst.loseNothing();
    awaitRestart("deployment/gpudra-controller");
    assertThat(cluster.readyPods("gpudra-controller"))
        .hasSize(2)
        .doesNotContainAnyElementsOf(before);
  }

  @Test
  void aRollingUpdateOfTheNodePluginsInABurstLosesNothing() throws Exception {
    List<String> before = cluster.readyPods("gpudra-kubeletplugin");
    FinishingBurst burst = FinishingBurst.start(cluster, "burst-daemonset");
    burst.awaitMiddle();
    restart("daemonset/gpudra-kubeletplugin");
    burst.loseNothing();
    awaitRestart("daemonset/gpudra-kubeletplugin");
    assertThat(cluster.readyPods("gpudra-kubeletplugin"))
        .hasSameSizeAs(before)
        .doesNotContainAnyElementsOf(before);
  }

  @Test
  void killingLeaderAndPluginsInABurstOf200PodsOfAllKindsLeavesNothing() throws Exception {
    FinishingBurst burst = FinishingBurst.ofAllKinds(200, cluster, "burst-kinds");
    burst.awaitMiddle();
    cluster.delete(RealClusterUnderTest.NAMESPACE, cluster.leader());
    cluster.killPlugins();
    burst.awaitEnd();
    cluster.untilNone("MIG devices of claims", cluster::madeDevices);
    for (String node : List.of("worker-0", "worker-1", "worker-2")) {
      cluster.until("no MPS server on " + node, () -> servers(node).isEmpty());
    }
  }

  private String servers(String node) throws Exception {
    return cluster.node("exec", node, "sh", "-c", "ls %s 2> /dev/null || true".formatted(SERVERS));
  }

  private void restart(String what) throws Exception {
    cluster.kubectl("-n", RealClusterUnderTest.NAMESPACE, "rollout", "restart", what);
  }

  private void awaitRestart(String what) throws Exception {
    cluster.kubectl(
        "-n", RealClusterUnderTest.NAMESPACE, "rollout", "status", what, "--timeout=120s");
  }
}
