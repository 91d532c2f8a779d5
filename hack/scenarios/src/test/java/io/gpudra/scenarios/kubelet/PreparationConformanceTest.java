package io.gpudra.scenarios.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.scenarios.kubelet.ScriptedPlugin.Answer;
import io.gpudra.scenarios.kubelet.ScriptedPlugin.Call;
import io.gpudra.scenarios.kubelet.ScriptedPlugin.Script;
import io.gpudra.simulator.proto.dra.v1alpha3.Claim;
import io.grpc.Status;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What happens before the containers of a pod start. */
@ResourceLock(value = RealKubelet.NODE, mode = ResourceAccessMode.READ)
class PreparationConformanceTest extends KubeletCase {
  @BeforeEach
  void serve() throws IOException {
    stage.servePlugin();
    stage.makeDevices("x", "y");
  }

  @Test
  void allClaimsOfAPodComeInOneCallWithTheirNamesAndHandles() throws Exception {
    stage.allocated("a", "x");
    stage.allocated("b", "y");
    stage.schedule("p", "a", "b");
    stage.awaitRunning("p");
    assertThat(asked()).containsExactly("prepare a=x b=y");
    assertThat(stage.sockets.calls())
        .anyMatch(call -> call.startsWith("v1alpha3.Node/NodePrepareResources within 45 s"));
    assertThat(stage.plugin.calls().get(0).claims())
        .containsExactlyInAnyOrder(message("a", "x"), message("b", "y"));
    stage.deleteAndAwait("p");
    assertThat(asked()).containsExactly("prepare a=x b=y", "unprepare a=x b=y");
    assertThat(stage.sockets.calls())
        .anyMatch(call -> call.startsWith("v1alpha3.Node/NodeUnprepareResources within 45 s"));
    assertThat(stage.plugin.calls().get(1).claims())
        .containsExactlyInAnyOrderElementsOf(stage.plugin.calls().get(0).claims());
  }

  private Claim message(String claim, String handle) throws Exception {
    return Claim.newBuilder()
        .setNamespace(stage.namespace)
        .setUid(stage.uid(claim))
        .setName(claim)
        .setResourceHandle(handle)
        .build();
  }

  @Test
  void onlyTheContainerThatNamesAClaimSeesItsDevices() throws Exception {
    stage.allocated("c", "x");
    stage.schedule("p", "c");
    stage.awaitRunning("p");
    assertThat(stage.devicesOf("p", "ctr")).containsExactly("x");
    assertThat(stage.devicesOf("p", "other")).isEmpty();
  }

  @Test
  void aClaimWithoutDevicesIsNoneOfTheContainersBusiness() throws Exception {
    stage.allocated("c", "");
    stage.schedule("p", "c");
    stage.awaitRunning("p");
    assertThat(asked()).containsExactly("prepare c=");
    assertThat(stage.devicesOf("p", "ctr")).isEmpty();
  }

  @Test
  void podsThatShareAClaimCauseOneCallWhenTheFirstComesAndOneWhenTheLastGoes() throws Exception {
    stage.allocated("c", "x");
    stage.schedule("p", "c");
    stage.awaitRunning("p");
    stage.schedule("q", "c");
    stage.awaitRunning("q");
    assertThat(stage.devicesOf("q", "ctr")).containsExactly("x");
    stage.deleteAndAwait("p");
    assertThat(asked()).containsExactly("prepare c=x");
    stage.deleteAndAwait("q");
    assertThat(asked()).containsExactly("prepare c=x", "unprepare c=x");
  }

  @Test
  void aFailureIsAnEventAndRepeatedLaterWhileThePodWaits() throws Exception {
    stage.plugin.onPrepare(Script.each(Answer.failed("busy")));
    stage.allocated("c", "x");
    stage.schedule("p", "c");
    awaitFailure(
        "p", "NodePrepareResources failed for claim %s/c: busy".formatted(stage.namespace));
    stage.plugin.onPrepare(Script.each(Answer.NOTHING));
    stage.awaitRunning("p");
    assertThat(asked()).containsExactly("prepare c=x", "prepare c=x");
    List<Call> calls = stage.plugin.calls();
    assertThat(between(calls.get(0), calls.get(1)))
        .isGreaterThanOrEqualTo(kubelet.prepareRetry().least());
    assertThat(stage.history("p"))
        .containsExactly("Pending", "Pending waiting ContainerCreating", "Running running");
  }

  @Test
  void whatCouldNotBePreparedIsNeverUnprepared() throws Exception {
    stage.plugin.onPrepare(Script.each(Answer.failed("busy")));
    stage.allocated("c", "x");
    stage.schedule("p", "c");
    awaitFailure("p", "NodePrepareResources failed for claim");
    stage.deleteAndAwait("p");
    assertThat(asked()).containsExactly("prepare c=x");
  }

  @Test
  void anAnswerMustBeAboutTheClaimsThatWereAskedFor() throws Exception {
    Map<String, Script> scripts =
        Map.of(
            "none", claims -> Map.of(),
            "other", claims -> Map.of("u", Answer.NOTHING),
            "down",
                claims -> {
                  throw Status.UNAVAILABLE.withDescription("x").asRuntimeException();
                },
            "late",
                claims -> {
                  throw Status.DEADLINE_EXCEEDED.withDescription("y").asRuntimeException();
                },
            "unqualified", Script.each(new Answer(List.of("gpu0"), "")));
    stage.plugin.onPrepare(claims -> scripts.get(claims.get(0).getName()).answers(claims));
    for (String name : scripts.keySet()) {
      stage.allocated(name, "x");
      stage.schedule(name, name);
    }
    awaitFailure("none", "NodePrepareResources left out 1 claims");
    awaitFailure("other", "NodePrepareResources returned result for unknown claim UID u");
    awaitFailure("down", "NodePrepareResources failed: rpc error: code = Unavailable desc = x");
    awaitFailure(
        "late", "NodePrepareResources failed: rpc error: code = DeadlineExceeded desc = y");
    awaitFailure("unqualified", "failed to add CDIDevices to claimInfo");
  }

  @Test
  void aDeviceThatNoFileDescribesKeepsTheContainerWaitingUntilThereIsOne() throws Exception {
    stage.allocated("c", "z");
    stage.schedule("p", "c");
    stage.awaitWarning(
        "p",
        "Failed",
        "CDI device injection failed: unresolvable CDI devices " + stage.driver + "/dev=z");
    stage.makeDevices("z");
    stage.awaitRunning("p");
    assertThat(stage.devicesOf("p", "ctr")).containsExactly("z");
    assertThat(asked()).containsExactly("prepare c=z");
  }

  @Test
  void aPodWithoutAReservationIsRefused() throws Exception {
    stage.allocated("c", "x", false);
    stage.schedule("p", "c");
    stage.awaitRunning("p");
    stage.bind("q", "c");
    String uid = stage.pod(stage.namespace, "q").orElseThrow().at("/metadata/uid").asText();
    awaitFailure(
        "q", "pod q(%s) is not allowed to use resource claim c(%s)".formatted(uid, stage.uid("c")));
    assertThat(asked()).containsExactly("prepare c=x");
  }

  @Test
  void aRefusedPodThatEndsTakesTheDeviceOfTheOneThatHasIt() throws Exception {
    stage.allocated("c", "x", false);
    stage.schedule("p", "c");
    stage.awaitRunning("p");
    stage.bind("q", "c");
    awaitFailure("q", "pod q(");
    stage.deleteAndAwait("q");
    assertThat(asked()).containsExactly("prepare c=x", "unprepare c=x");
    assertThat(stage.runs("p")).isTrue();
  }

  @Test
  void aPodWhoseClaimIsMissingIsRefused() throws Exception {
    stage.bind("p", "c");
    awaitFailure(
        "p",
        "failed to fetch ResourceClaim c referenced by pod p: resourceclaims.resource.k8s.io"
            + " \"c\" not found");
  }
}
