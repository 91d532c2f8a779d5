package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whole GPUs, MIG devices, shares and MPS servers, and nobody who stays alive for long. */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class AllKindsBurstTest {
  private static final String NS = "all-kinds";
  private static final int PODS = 24;
  private static final ImmutableMap<String, String> NODES =
      ImmutableMap.of("worker-0", "a100", "worker-1", "a100", "worker-2", "a100");

  @RegisterExtension
  static final ClusterUnderTest cluster = new ClusterUnderTest(new Plan(NODES, 2, 0));

  @Test
  void killingLeaderAndPluginsWhileItComesAndGoesLeavesNothing() throws Exception {
    cluster.create(Given.namespace(NS));
    Burst burst = new Burst(cluster, NS, PODS);
    HolderWatch grants =
        HolderWatch.start(
            () -> HolderWatch.grants(cluster.cluster().doubles().api().list(Resource.CLAIMS)),
            Duration.ofMillis(50));
    burst.beginWithAllKinds();
    cluster.until("a third of it runs", () -> burst.inPhase("Running") >= PODS / 3);
    killLeaderAndPlugins();
    cluster.until("all of it runs", () -> running(burst) == PODS);
    assertThat(cluster.madeDevices()).isNotEmpty();
    assertThat(servers()).isNotEmpty();

    for (int i = 0; i < PODS; i++) {
      cluster.delete(NS, "pod-" + i);
    }
    cluster.until("a third of it is gone", () -> burst.pods().size() <= PODS * 2 / 3);
    killLeaderAndPlugins();
    cluster.until("it is gone", () -> remaining(burst) == 0);
    new Aftermath(cluster, NS).isClean();
    grants.stop();
    assertThat(grants.shared()).isEmpty();
    assertThat(cluster.madeDevices()).isEmpty();
    assertThat(servers()).isEmpty();
  }

  private static void killLeaderAndPlugins() throws IOException, InterruptedException {
    cluster.until("somebody leads", () -> cluster.leader().isPresent());
    cluster.leader().orElseThrow().kill();
    for (String node : NODES.keySet()) {
      cluster.cluster().binaries().plugin(node).kill();
      cluster.cluster().binaries().startPlugin(node);
    }
  }

  private static int running(Burst burst) throws IOException, InterruptedException {
    cluster.replaceDeadControllers();
    return burst.inPhase("Running");
  }

  private static int remaining(Burst burst) throws IOException, InterruptedException {
    cluster.replaceDeadControllers();
    return burst.pods().size();
  }

  /** Directories of MPS servers, on all nodes. */
  private static List<Path> servers() throws IOException {
    List<Path> found = new ArrayList<>();
    for (String node : NODES.keySet()) {
      Path directory = cluster.cluster().directories(node).state().resolve("mps");
      if (Files.exists(directory)) {
        try (Stream<Path> servers = Files.list(directory)) {
          servers.forEach(found::add);
        }
      }
    }
    return found;
  }
}
