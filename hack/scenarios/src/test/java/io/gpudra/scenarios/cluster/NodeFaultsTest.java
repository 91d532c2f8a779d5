package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.kubelet.Kubelet;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to nodes: processes that die at the worst moment, and power cuts. */
@Tag("process")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class NodeFaultsTest {
  private static final String NODE = "worker-0";
  private static final String OTHER = "worker-1";
  private static final int PODS = 7;
  private static final Optional<Integer> FAILED = Optional.of(1);
  private static final String NO_SPACE =
      "checkpoint.json cannot be written: java.io.IOException: No space left on device";
  private static final Pattern NOT_UNPREPARED =
      Pattern.compile("claim not unprepared claim=disk-full/early .*(" + NO_SPACE + ")");
  private static final Pattern NOT_WRITABLE =
      Pattern.compile("cannot start reason=.*(state is not writable: .*Read-only file system)");

  @RegisterExtension
  static final ClusterUnderTest cluster =
      ClusterUnderTest.withNodes(ImmutableMap.of(NODE, "latest", OTHER, "latest"));

  @Test
  void aPluginKilledInABurstLosesNothing() throws Exception {
    DisturbedBurst burst = DisturbedBurst.ofPairs(cluster, "plugin-killed", PODS);
    binaries().startPlugin(nodeWithAPod());
    burst.losesNothing();
  }

  @Test
  void aPluginKilledBetweenItsCheckpointAndTheSpecFileLosesNothing() throws Exception {
    PreparingPod pod = PreparingPod.blockedAtTheSpecFile(cluster, "killed-before-spec", NODE);
    binaries().plugin(NODE).kill();
    binaries().startPlugin(NODE);
    pod.losesNothing();
  }

  @Test
  void aPluginKilledBetweenTheSpecFileAndItsCheckpointLosesNothing() throws Exception {
    PreparingPod pod = PreparingPod.blockedAtTheSpecFile(cluster, "killed-after-spec", NODE);
    pod.blockAtTheNextCheckpoint();
    pod.letSpecFileBeWritten();
    binaries().plugin(NODE).kill();
    pod.unblock();
    binaries().startPlugin(NODE);
    pod.losesNothing();
  }

  @Test
  void aKubeletThatRestartsTwiceInABurstLosesNothing() throws Exception {
    DisturbedBurst burst = DisturbedBurst.ofPairs(cluster, "kubelet-restarted", PODS);
    Kubelet kubelet = cluster.cluster().doubles().kubelet(NODE);
    kubelet.restart();
    kubelet.restart();
    burst.losesNothing();
  }

  @Test
  void aRebootInABurstLosesNothing() throws Exception {
    DisturbedBurst burst = DisturbedBurst.ofPairs(cluster, "rebooted", PODS);
    power(nodeWithAPod()).reboot();
    burst.losesNothing();
  }

  /** The kubelet still has the first pod's handle under the claim's name. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aClaimThatIsUsedAgainAfterARebootGivesWhatItIsGrantedByThen(boolean madeAnew)
      throws Exception {
    String ns = "used-again-" + madeAnew;
    startPod(ns, "gpu");
    awaitRunning(ns, "gpu");
    Set<String> before = cluster.granted(ns, "gpu");
    power(NODE).off();
    cluster.deleteByForce(ns, "gpu");
    cluster.until("the claim is released", () -> !cluster.isAllocated(ns, "gpu"));
    power(NODE).on();
    cluster.until(
        "the node says that it holds nothing", () -> !cluster.prepared(NODE).contains(ns + "/gpu"));
    startPod(ns, "newcomer");
    awaitRunning(ns, "newcomer");
    assertThat(cluster.seenBy(ns, "newcomer")).isEqualTo(before);
    if (madeAnew) {
      cluster.deleteClaim(ns, "gpu");
      cluster.until("the claim is gone", () -> cluster.claim(ns, "gpu").isEmpty());
      cluster.create(Given.claim(ns, "gpu", "gpu.example.com"));
    }
    cluster.create(Given.podWith(ns, "gpu", Given.on(NODE), "gpu"));
    awaitRunning(ns, "gpu");
    assertThat(cluster.seenBy(ns, "gpu")).doesNotContainAnyElementsOf(before);
    cluster.delete(ns, "gpu");
    cluster.delete(ns, "newcomer");
    cluster.until(
        "both pods are gone",
        () -> cluster.pod(ns, "gpu").isEmpty() && cluster.pod(ns, "newcomer").isEmpty());
    // The kubelet counts the pod that it never saw end, and so unprepares nothing before it boots.
    power(NODE).reboot();
    new Aftermath(cluster, ns).isClean();
  }

  @Test
  void aFullDiskIsToldAndLosesNothing() throws Exception {
    String ns = "disk-full";
    onSmallDisk(
        disk -> {
          startPod(ns, "early");
          awaitRunning(ns, "early");
          disk.fill();
          startPod(ns, "late");
          cluster.until("the pod says why it waits", () -> says(ns, "late", NO_SPACE));
          cluster.delete(ns, "early");
          cluster.until("the log says why the other one stays", () -> logs(NOT_UNPREPARED));
          disk.makeRoom();
          awaitRunning(ns, "late");
          cluster.until("the other one is gone", () -> cluster.pod(ns, "early").isEmpty());
          new Aftermath(cluster, ns).isClean();
        });
  }

  @Test
  void aPluginThatMayNotWriteSaysSoAndStartsWhenItMay() throws Exception {
    String ns = "disk-read-only";
    onSmallDisk(
        disk -> {
          binaries().plugin(NODE).kill();
          disk.writable(false);
          binaries().startPlugin(NODE);
          cluster.until("it ends", () -> binaries().plugin(NODE).exitCode().equals(FAILED));
          assertThat(logs(NOT_WRITABLE)).isTrue();
          disk.writable(true);
          startPod(ns, "gpu");
          binaries().startPlugin(NODE);
          awaitRunning(ns, "gpu");
          new Aftermath(cluster, ns).isClean();
        });
  }

  private interface OnDisk {
    void run(SmallDisk disk) throws Exception;
  }

  /** The plugin remembers there, and nothing of it afterwards. */
  private static void onSmallDisk(OnDisk test) throws Exception {
    binaries().plugin(NODE).kill();
    try (SmallDisk disk = SmallDisk.mount(disk().state())) {
      binaries().startPlugin(NODE);
      try {
        test.run(disk);
      } finally {
        binaries().plugin(NODE).kill();
      }
    } finally {
      binaries().startPlugin(NODE);
    }
  }

  private static void startPod(String ns, String name) throws Exception {
    if (cluster.client().find("/api/v1/namespaces/" + ns).isEmpty()) {
      cluster.create(Given.namespace(ns));
    }
    cluster.create(
        Given.claim(ns, name, "gpu.example.com"), Given.podWith(ns, name, Given.on(NODE), name));
  }

  private static void awaitRunning(String ns, String pod) throws Exception {
    cluster.until("pod " + pod + " runs", () -> cluster.isPhase(ns, pod, "Running"));
    assertThat(cluster.seenBy(ns, pod)).hasSize(1).isEqualTo(cluster.granted(ns, pod));
  }

  private static boolean says(String ns, String pod, String text) throws Exception {
    for (JsonNode event :
        cluster.client().get("/api/v1/namespaces/" + ns + "/events").path("items")) {
      if (event.at("/involvedObject/name").asText().equals(pod)
          && event.path("message").asText().contains(text)) {
        return true;
      }
    }
    return false;
  }

  private static boolean logs(Pattern text) throws IOException {
    return binaries().plugin(NODE).said(text).isPresent();
  }

  private static NodePower power(String node) {
    return new NodePower(cluster.cluster(), node);
  }

  /** The one that a burst reached first, once it has. */
  private static String nodeWithAPod() throws IOException {
    cluster.until("a pod runs", () -> !power(NODE).specs().isEmpty() || onTheOther());
    return onTheOther() ? OTHER : NODE;
  }

  private static boolean onTheOther() throws IOException {
    return !power(OTHER).specs().isEmpty();
  }

  private static NodeDirectories disk() {
    return cluster.cluster().directories(NODE);
  }

  private static Binaries binaries() {
    return cluster.cluster().binaries();
  }
}
