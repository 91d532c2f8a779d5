package io.gpudra.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kubelet.DraPlugin.Reply;
import io.gpudra.simulator.kubelet.Kubelet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows N1 to N15 of protocol.md 4.6, and 3.5. */
class KubeletBehaviourTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private SteppedCluster cluster;

  @BeforeEach
  void start(@TempDir Path cdi) {
    cluster = new SteppedCluster(cdi, Profile.V1_30, "n1");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private Kubelet kubelet() {
    return cluster.actors.kubelet("n1");
  }

  private void allocated(String claim, String device, boolean shareable) {
    cluster.claim(claim);
    cluster.allocate(claim, "n1", device, shareable);
  }

  private void run(String pod, String... claims) {
    cluster.pod(pod, "", claims);
    cluster.settle();
  }

  private String uid(String pod) {
    return cluster.podObject(pod).at("/metadata/uid").asText();
  }

  private void delete(String pod, Optional<Integer> grace) {
    cluster.api.delete(Resource.PODS, "default", pod, grace);
    cluster.settle();
  }

  @Test
  void onlyTheContainerThatNamesTheClaimSeesTheDevice() {
    allocated("c", "gpu-0", false);
    run("p", "c");
    assertThat(cluster.phase("p")).isEqualTo("Running");
    assertThat(cluster.gpu("p", "ctr")).isEqualTo("gpu-0");
    assertThat(cluster.gpu("p", "other")).isEmpty();
    assertThat(cluster.podObject("p").at("/status/containerStatuses/0/ready").asBoolean()).isTrue();
  }

  @Test
  void allClaimsOfAPodGoToTheirDriverInOneCall() {
    allocated("a", "gpu-0", false);
    allocated("b", "gpu-1", false);
    run("p", "a", "b");
    assertThat(cluster.plugin.calls).containsExactly("prepare a=gpu-0,b=gpu-1");
  }

  @Test
  void aSecondPodOnAPreparedClaimCausesNoCallAndTheLastOneUnprepares() {
    allocated("c", "gpu-0", true);
    run("p", "c");
    run("q", "c");
    assertThat(cluster.gpu("q", "ctr")).isEqualTo("gpu-0");
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0");
    delete("p", Optional.empty());
    cluster.pass(Duration.ofMinutes(1));
    assertThat(cluster.plugin.calls).hasSize(1);
    delete("q", Optional.empty());
    cluster.pass(Duration.ofMinutes(1));
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0", "unprepare c=gpu-0");
    assertThat(cluster.api.list(Resource.PODS)).isEmpty();
  }

  @Test
  void aFailedPreparationIsAnEventRetriedAfterAMinuteAndNeverUnprepared() {
    cluster.plugin.onPrepare = ScriptedPlugin::error;
    allocated("c", "gpu-0", false);
    run("p", "c");
    assertThat(cluster.events("p", "FailedPrepareDynamicResources"))
        .containsExactly(
            "Failed to prepare dynamic resources: NodePrepareResources failed for claim"
                + " default/c: busy");
    cluster.pass(Duration.ofSeconds(59));
    assertThat(cluster.plugin.calls).hasSize(1);
    cluster.pass(Duration.ofSeconds(32));
    assertThat(cluster.plugin.calls).hasSize(2);
    delete("p", Optional.empty());
    cluster.pass(SECOND);
    assertThat(cluster.api.list(Resource.PODS)).isEmpty();
    assertThat(cluster.plugin.calls).containsOnly("prepare c=gpu-0");
  }

  @Test
  void anAnswerThatLeavesAClaimOutOrAddsOneFails() {
    cluster.plugin.onPrepare = claims -> Reply.of(Map.of());
    allocated("c", "gpu-0", false);
    run("p", "c");
    assertThat(cluster.events("p", "FailedPrepareDynamicResources"))
        .containsExactly(
            "Failed to prepare dynamic resources: NodePrepareResources left out 1 claims");
  }

  @Test
  void aFailedCallNamesItsStatus() {
    cluster.plugin.onPrepare = claims -> Reply.failed("rpc error: code = Unavailable desc = x");
    allocated("c", "gpu-0", false);
    run("p", "c");
    assertThat(cluster.events("p", "FailedPrepareDynamicResources").get(0))
        .endsWith("NodePrepareResources failed: rpc error: code = Unavailable desc = x");
  }

  @Test
  void aPodThatHoldsNoReservationIsRefused() {
    allocated("c", "gpu-0", false);
    run("p", "c");
    cluster.pod("q", "n1", "c");
    cluster.settle();
    assertThat(cluster.events("q", "FailedPrepareDynamicResources").get(0))
        .contains("is not allowed to use resource claim c(");
  }

  @Test
  void aRefusedPodThatEndsTakesTheDeviceOfTheOnlyOneThatHasIt() {
    allocated("c", "gpu-0", false);
    run("p", "c");
    cluster.pod("q", "n1", "c");
    cluster.settle();
    delete("q", Optional.empty());
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0", "unprepare c=gpu-0");
    assertThat(cluster.phase("p")).isEqualTo("Running");
  }

  @Test
  void claimsWhoseNameAndNamespaceJoinToTheSameTextAreMistakenForEachOther() {
    cluster.create(Resource.NAMESPACES, "{'metadata':{'name':'ult'}}");
    allocated("cdefa", "gpu-0", true);
    run("p", "cdefa");
    // cdefa + default and cdefadefa + ult are the same text.
    String twin = "cdefadefa";
    ObjectNode claim =
        cluster.create(
            Resource.CLAIMS,
            "{'metadata':{'name':'%s','namespace':'ult'},'spec':{'resourceClassName':'gpu'}}"
                .formatted(twin));
    claim.set("status", cluster.claimObject("cdefa").get("status").deepCopy());
    claim.withObject("/status").remove("reservedFor");
    ((ObjectNode) claim.at("/status/allocation/resourceHandles/0")).put("data", "gpu-1");
    cluster.api.updateStatus(Resource.CLAIMS, claim);
    cluster.create(
        Resource.PODS,
        ("{'metadata':{'name':'q','namespace':'ult'},'spec':{'resourceClaims':[{'name':'g',"
                + "'source':{'resourceClaimName':'%s'}}],'containers':[{'name':'ctr','image':'i',"
                + "'resources':{'claims':[{'name':'g'}]}}]}}")
            .formatted(twin));
    cluster.settle();
    assertThat(cluster.plugin.calls).containsExactly("prepare cdefa=gpu-0");
    assertThat(cluster.gpu("q", "ctr")).isEqualTo("gpu-0");
  }

  @Test
  void containersStopThenClaimsAreUnpreparedThenThePodGoes() {
    allocated("c", "gpu-0", false);
    run("p", "c");
    cluster.plugin.onUnprepare = ScriptedPlugin::error;
    delete("p", Optional.empty());
    cluster.pass(Duration.ofSeconds(3));
    assertThat(cluster.gpu("p", "ctr")).isEqualTo("not running");
    assertThat(cluster.phase("p")).as("not terminal before the unprepare").isEqualTo("Running");
    assertThat(cluster.podObject("p").at("/status/containerStatuses/0/state").has("terminated"))
        .isTrue();
    cluster.plugin.onUnprepare = ScriptedPlugin::success;
    cluster.pass(Duration.ofSeconds(16));
    assertThat(cluster.api.list(Resource.PODS)).isEmpty();
  }

  @Test
  void afterAForcedDeletionContainersRunOnAndTheUnprepareComesLater() {
    allocated("c", "gpu-0", false);
    run("p", "c");
    delete("p", Optional.of(0));
    assertThat(cluster.claimObject("c").at("/status/deallocationRequested").asBoolean())
        .as("asked for while the containers run")
        .isTrue();
    assertThat(cluster.gpu("p", "ctr")).isEqualTo("gpu-0");
    assertThat(cluster.plugin.calls).hasSize(1);
    cluster.pass(Duration.ofSeconds(5));
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0", "unprepare c=gpu-0");
    assertThat(cluster.actors.containers()).isEmpty();
  }

  @Test
  void afterARestartRunningPodsSeeNoCallAndTheNextPodPreparesAgain() {
    allocated("c", "gpu-0", true);
    run("p", "c");
    kubelet().restart();
    cluster.pass(SECOND);
    assertThat(cluster.plugin.calls).hasSize(1);
    assertThat(cluster.gpu("p", "ctr")).isEqualTo("gpu-0");
    run("q", "c");
    cluster.pass(Duration.ofMinutes(2));
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0", "prepare c=gpu-0");
  }

  @Test
  void afterAPowerCutPodsArePreparedAndStartedAgain() {
    allocated("c", "gpu-0", false);
    run("p", "c");
    kubelet().powerOff();
    assertThat(cluster.actors.containers()).isEmpty();
    kubelet().start();
    cluster.pass(SECOND);
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0", "prepare c=gpu-0");
    assertThat(cluster.gpu("p", "ctr")).isEqualTo("gpu-0");
  }

  @Test
  void afterAPowerCutANameThatIsUsedAgainIsPreparedWithTheHandleOfThen() {
    useANameAgainAfterAPowerCut();
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0", "prepare c=gpu-0");
    assertThat(cluster.gpu("q", "ctr")).isEqualTo("gpu-0");
  }

  /** Claim c had gpu-0 before, and has gpu-1 now. */
  private void useANameAgainAfterAPowerCut() {
    allocated("c", "gpu-0", true);
    run("p", "c");
    kubelet().powerOff();
    delete("p", Optional.of(0));
    cluster.release("c");
    kubelet().start();
    cluster.allocate("c", "n1", "gpu-1", true);
    run("q", "c");
  }

  @Test
  void aRestartedKubeletUnpreparesFromItsCheckpoint() {
    allocated("c", "gpu-0", false);
    run("p", "c");
    kubelet().restart();
    delete("p", Optional.empty());
    cluster.pass(Duration.ofSeconds(5));
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0", "unprepare c=gpu-0");
  }

  @Test
  void aPodForceDeletedWhileTheKubeletIsDownPinsTheNameForEver() {
    allocated("c", "gpu-0", true);
    run("p", "c");
    kubelet().stop();
    delete("p", Optional.of(0));
    assertThat(cluster.gpu("p", "ctr")).as("containers outlive the kubelet").isEqualTo("gpu-0");
    kubelet().start();
    cluster.pass(Duration.ofMinutes(5));
    assertThat(cluster.actors.containers()).isEmpty();
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0");
    cluster.release("c");
    cluster.allocate("c", "n1", "gpu-1", true);
    run("q", "c");
    assertThat(cluster.plugin.calls)
        .as("the old handle under the same name")
        .containsExactly("prepare c=gpu-0", "prepare c=gpu-0");
  }

  @Test
  void aPodToldToFinishSucceedsAfterTheUnprepare() {
    allocated("c", "gpu-0", false);
    run("p", "c");
    assertThat(kubelet().finish(uid("p"))).isTrue();
    cluster.settle();
    assertThat(cluster.phase("p")).isEqualTo("Succeeded");
    assertThat(cluster.plugin.calls).containsExactly("prepare c=gpu-0", "unprepare c=gpu-0");
    assertThat(kubelet().finish(uid("p"))).isFalse();
  }

  @Test
  void aPodEndsByItselfAfterTheTimeInItsAnnotation() {
    cluster.create(
        Resource.PODS,
        "{'metadata':{'name':'p','namespace':'default','annotations':"
            + "{'simulator.gpudra.io/exit-after':'30s'}},'spec':{'restartPolicy':'Never',"
            + "'containers':[{'name':'ctr','image':'i'}]}}");
    cluster.pass(Duration.ofSeconds(29));
    assertThat(cluster.phase("p")).isEqualTo("Running");
    cluster.pass(Duration.ofSeconds(2));
    assertThat(cluster.phase("p")).isEqualTo("Succeeded");
  }

  @Test
  void aDeviceWithoutASpecKeepsTheContainerWaiting() {
    allocated("c", "gpu-9", false);
    run("p", "c");
    assertThat(
            cluster.podObject("p").at("/status/containerStatuses/0/state/waiting/message").asText())
        .isEqualTo("CDI device injection failed: unresolvable CDI devices example.com/gpu=gpu-9");
  }

  @Test
  void aDriverThatIsNotRegisteredFailsThePreparation() {
    cluster.claim("c");
    cluster.allocate("c", "n1", "gpu-0", false);
    ObjectNode claim = cluster.claimObject("c");
    ObjectNode status = claim.withObject("/status").deepCopy();
    cluster.release("c");
    ((ObjectNode) status.at("/allocation/resourceHandles/0")).put("driverName", "other.example");
    claim = cluster.claimObject("c");
    claim.set("status", status);
    cluster.api.updateStatus(Resource.CLAIMS, claim);
    run("p", "c");
    assertThat(cluster.events("p", "FailedPrepareDynamicResources").get(0))
        .contains("plugin name other.example not found in the list of registered DRA plugins");
  }
}
