package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.scenarios.cluster.HolderWatch;
import io.gpudra.scenarios.real.Administrator.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code docs/operate/moving.md} says, on a cluster whose GPUs a device plugin hands out and
 * on which the driver is not installed yet.
 */
@Tag("moving")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class MovingTest {
  private static final String DEVICE_PLUGIN =
      RealClusterUnderTest.ROOT.resolve("hack/deviceplugin/daemonset.yaml").toString();
  private static final String NOBODY = "";
  private static final Duration PAUSE = Duration.ofMillis(250);

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  private GpuPods pods = new GpuPods(cluster, ImmutableList.of());
  private final Path directory;
  private final TypedPage page;
  private final Administrator administrator =
      new Administrator("OVERLAY=manifests/overlays/local-stub");

  MovingTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    this.page = TypedPage.read(RealClusterUnderTest.ROOT.resolve("docs/operate/moving.md"));
  }

  @AfterEach
  void nothingOfItIsLeft() throws Exception {
    cluster.kubectl("delete", "--ignore-not-found", "-f", DEVICE_PLUGIN);
    for (String node : nodes()) {
      cluster.kubectl("uncordon", node);
    }
  }

  @Test
  void aClusterMovesNodeByNodeBackAndOnAndNoGPUIsGivenByBoth() throws Exception {
    cluster.kubectl("apply", "-f", DEVICE_PLUGIN);
    cluster.until("every node offers GPUs", () -> offering().containsAll(nodes()));
    String moves = cluster.namespace("moves-first");
    String stays = cluster.namespace("moves-last");
    String comes = cluster.namespace("comes");
    pods = new GpuPods(cluster, ImmutableList.of(moves, stays, comes));
    HolderWatch watch = HolderWatch.start(pods::holders, PAUSE);

    before(moves);
    before(stays);
    types("Before", 0, NOBODY);
    bothAreInTheCluster(comes);
    theFirstNodeMoves(comes, moves);
    itGoesBack(stays);
    allButTheLastMove(ImmutableList.of(comes, moves), stays);
    theLastMoves(stays);

    for (String namespace : List.of(moves, stays, comes)) {
      awaitRollout(namespace);
      assertThat(granted(namespace)).hasSize(2);
    }
    watch.stop();
    assertThat(watch.shared()).isEmpty();
    assertThat(administrator.typed()).containsAll(page.commands());
  }

  private void bothAreInTheCluster(String comes) throws Exception {
    types("Phase 1", 0, NOBODY);
    cluster.until("nothing else is wrong", () -> doctor().complaints().equals(both(nodes())));
    assertThat(pods.ofDevicePlugin()).hasSize(4).isSubsetOf(known());
    after(comes);
    cluster.until("they are told why they wait", () -> isTold(comes));
    assertThat(granted(comes)).isEmpty();
  }

  private Said doctor() throws Exception {
    return types("Moving from a device plugin", 0, NOBODY);
  }

  private void theFirstNodeMoves(String comes, String moves) throws Exception {
    String first = nodes().get(0);
    moveNode(first, nodes());
    awaitRollout(comes);
    assertThat(pods.nodesOf(comes)).containsExactly(first);
    after(moves);
    awaitRollout(moves);
    assertThat(pods.nodesOf(moves)).containsExactly(first);
  }

  private void itGoesBack(String stays) throws Exception {
    String first = nodes().get(0);
    assertThat(types("Back", 0, first).complaints()).containsAll(both(nodes()));
    runsOn(stays, first);
  }

  private void allButTheLastMove(List<String> withClaims, String stays) throws Exception {
    List<String> left = nodes();
    for (; left.size() > 1; left = left.subList(1, left.size())) {
      moveNode(left.get(0), left);
    }
    for (String namespace : withClaims) {
      awaitRollout(namespace);
    }
    awaitRollout(stays);
    assertThat(pods.nodesOf(stays)).isEqualTo(Set.copyOf(left));
  }

  private void theLastMoves(String stays) throws Exception {
    after(stays);
    awaitRollout(stays);
    assertThat(pods.ofDevicePlugin()).isEmpty();
    assertThat(types("Phase 3", 0, NOBODY).gpusOfPods()).containsOnly("<none>");
    String last = nodes().get(nodes().size() - 1);
    moveNode(last, List.of(last));
    assertThat(types("Phase 3", 1, NOBODY).doctor()).isEqualTo("nothing is wrong\n");
  }

  /** All that runs elsewhere goes on while the administrator types. */
  private Said types(String section, int block, String node) throws Exception {
    ImmutableMap<String, Integer> before = pods.restartsBut(node);
    Said said = administrator.types(page.blocks().get(section).get(block), node);
    assertThat(pods.restartsBut(NOBODY)).containsAllEntriesOf(before);
    return said;
  }

  /**
   * Takes it from the device plugin.
   *
   * @param left the nodes that this one had until now
   */
  private void moveNode(String node, List<String> left) throws Exception {
    Said said = types("Phase 2", 0, node);
    assertThat(said.gpusOfPods()).containsOnly("<none>");
    List<String> others = left.stream().filter(other -> !other.equals(node)).toList();
    assertThat(said.complaints().stream().filter(one -> one.startsWith("DevicePluginToo")))
        .isEqualTo(both(others));
    assertThat(offering()).containsExactlyInAnyOrderElementsOf(others);
  }

  private static List<String> both(List<String> nodes) {
    return nodes.stream().map("DevicePluginToo: node %s"::formatted).toList();
  }

  private void before(String namespace) throws Exception {
    apply(namespace, page.manifests().get(0));
    awaitRollout(namespace);
  }

  private void after(String namespace) throws Exception {
    apply(namespace, page.manifests().get(1));
  }

  private void apply(String namespace, String manifest) throws Exception {
    Path file = Files.writeString(directory.resolve("manifest.yaml"), manifest);
    cluster.kubectl("--namespace=" + namespace, "apply", "-f", file.toString());
  }

  private void awaitRollout(String namespace) throws Exception {
    String space = "--namespace=" + namespace;
    cluster.kubectl(space, "rollout", "status", "deployment/train", "--timeout=2m");
    cluster.until("old pods are gone", () -> pods.in(namespace).size() == 2);
  }

  private boolean isTold(String namespace) throws Exception {
    return cluster
        .kubectl("--namespace=" + namespace, "describe", "pods")
        .contains("gpu.resource.example.com/foreign-use");
  }

  /** A pod that asks for a GPU of the device plugin there. */
  private void runsOn(String namespace, String node) throws Exception {
    cluster.create(
        """
        apiVersion: v1
        kind: Pod
        metadata: {namespace: %s, name: pinned}
        spec:
          nodeSelector: {kubernetes.io/hostname: %s}
          containers:
          - name: ctr0
            image: busybox
            imagePullPolicy: IfNotPresent
            command: [sh, -c, "env | sort; trap 'exit 0' TERM; sleep infinity & wait"]
            resources: {limits: {nvidia.com/gpu: 1}}
        """
            .formatted(namespace, node));
    cluster.until("it runs", () -> cluster.isPhase(namespace, "pinned", "Running"));
    cluster.delete(namespace, "pinned");
    cluster.until("it is gone", () -> cluster.pod(namespace, "pinned").isEmpty());
  }

  private ImmutableList<String> nodes() throws Exception {
    ImmutableList.Builder<String> nodes = ImmutableList.builder();
    for (JsonNode node : cluster.client().get("/api/v1/nodes").path("items")) {
      nodes.add(node.at("/metadata/name").asText());
    }
    return nodes.build();
  }

  /** Nodes of the device plugin. */
  private Set<String> offering() throws Exception {
    Set<String> offering = new HashSet<>();
    for (JsonNode node : cluster.client().get("/api/v1/nodes").path("items")) {
      if (node.at("/status/allocatable/nvidia.com~1gpu").asInt() > 0) {
        offering.add(node.at("/metadata/name").asText());
      }
    }
    return offering;
  }

  /** UUIDs of all GPUs of all inventories. */
  private List<String> known() throws Exception {
    return cluster.client().get(RealClusterUnderTest.INVENTORIES).findValuesAsText("uuid");
  }

  private Set<String> granted(String namespace) throws Exception {
    Set<String> gpus = new HashSet<>();
    for (JsonNode claim :
        cluster
            .client()
            .get(RealClusterUnderTest.DRA + namespace + "/resourceclaims")
            .path("items")) {
      gpus.addAll(cluster.granted(namespace, claim.at("/metadata/name").asText()));
    }
    return gpus;
  }
}
