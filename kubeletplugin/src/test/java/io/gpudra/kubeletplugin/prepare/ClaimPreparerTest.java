package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.HASTY;
import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimPreparerTest {

  private static final ClaimUid U1 = new ClaimUid("u1");
  private static final ClaimUid U2 = new ClaimUid("u2");

  @TempDir Path directory = Path.of("");
  private final Faults faults = new Faults();

  @SuppressWarnings("NullAway.Init") // set before each test
  private FakeNode node;

  @SuppressWarnings("NullAway.Init") // set before each test
  private ClaimPreparer preparer;

  @BeforeEach
  void start() throws IOException {
    node = new FakeNode(directory);
    preparer = node.start(faults, HASTY);
  }

  private PrepareOutcome prepare(PrepareRequest request) {
    return preparer.prepare(request, PrepareCall.withoutDeadline());
  }

  private void assertNothingHeld() throws IOException {
    assertThat(preparer.held()).isEmpty();
    assertThat(node.ready()).isEmpty();
    assertThat(node.specs()).isEmpty();
    assertThat(node.start().held()).isEmpty();
  }

  private static PrepareRefusal refusal(PrepareOutcome outcome) {
    assertThat(outcome).isInstanceOf(Refused.class);
    return ((Refused) outcome).refusal();
  }

  @Test
  void answersOneCdiDeviceForAClaimOfManyGpus() throws IOException {
    PrepareOutcome outcome = prepare(node.request("u1", 0, 3));

    assertThat(outcome)
        .isEqualTo(new Ready(ImmutableList.of("k8s.gpu.resource.example.com/claim=claim-u1")));
    assertThat(node.ready()).hasSize(2);
    assertThat(node.specs()).containsExactly(U1);
  }

  @Test
  void aFileThatAnUnprepareHasJustRemovedIsNotPutBack() throws IOException {
    prepare(node.request("u1", 0));
    faults.on("tearDown", () -> assertThat(preparer.restoreSpecs()).isEmpty());

    assertThat(preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline())).isEmpty();

    assertNothingHeld();
  }

  @ParameterizedTest
  @ValueSource(strings = {"setUp", "write", "save"})
  void aDefectBelowIsAFailureOfTheClaimAndLeavesNothing(String operation) throws IOException {
    faults.failUnchecked(operation);

    assertThat(refusal(prepare(node.request("u1", 0))).text()).contains(operation);

    faults.clear();
    assertNothingHeld();
    assertThat(prepare(node.request("u2", 0))).isInstanceOf(Ready.class);
  }

  @Test
  void aDefectInAnUndoIsUndoneLater() throws IOException {
    faults.failUnchecked("write");
    faults.failUnchecked("tearDown");

    assertThat(refusal(prepare(node.request("u1", 0))).kind())
        .isEqualTo(PrepareRefusal.Kind.FAILED);

    faults.clear();
    preparer.sweep();
    assertNothingHeld();
  }

  @Test
  void givesTheSameAnswerAgainAndRepairsARemovedSpecFile() throws IOException {
    PrepareOutcome first = prepare(node.request("u1", 0));
    Files.delete(node.cdi.resolve("k8s.gpu.resource.example.com-claim_u1.json"));

    assertThat(prepare(node.request("u1", 0))).isEqualTo(first);
    assertThat(node.specs()).containsExactly(U1);
  }

  @Test
  void refusesOtherDevicesForAPreparedClaim() {
    prepare(node.request("u1", 0));
    node.grants.grant(ref("u1"), node.grant("u1", 1));

    assertThat(refusal(prepare(node.request("u1", 1))).text())
        .contains("prepared with other devices, gpu-0");
  }

  @Test
  void refusesAHandleOfAnotherClaim() {
    node.grants.put(
        ref("u1"), new LiveGrant.Granted(U1, node.grant("u2", 0), ImmutableSet.of("pod")));
    PrepareRequest request = new PrepareRequest(U1, ref("u1"), node.grant("u2", 0));

    assertThat(refusal(prepare(request)))
        .isEqualTo(
            new PrepareRefusal(
                PrepareRefusal.Kind.INVALID, "the handle was made for claim UID u2, not for u1"));
  }

  @Test
  void refusesAGrantForAnotherNode() {
    Grant here = node.grant("u1", 0);
    Grant there =
        new Grant(here.claim(), "worker-2", 1, here.generation(), here.at(), here.devices());

    assertThat(refusal(prepare(new PrepareRequest(U1, ref("u1"), there))).text())
        .isEqualTo("the grant is for node worker-2, this is worker-1");
  }

  @Test
  void refusesADeviceThatTheNodeDoesNotHave() {
    Grant here = node.grant("u1", 0);
    Grant strange =
        new Grant(
            here.claim(),
            here.node(),
            1,
            here.generation(),
            here.at(),
            ImmutableList.of(new GrantedDevice("gpu-9", "GPU-9")));

    assertThat(refusal(prepare(new PrepareRequest(U1, ref("u1"), strange))))
        .isEqualTo(
            new PrepareRefusal(
                PrepareRefusal.Kind.NO_DEVICE, "node worker-1 has no gpu-9 (GPU-9)"));
  }

  @Test
  void refusesAUidThatIsNoFileName() {
    PrepareRequest request = node.request("../u1", 0);

    assertThat(refusal(prepare(request)).text()).contains("malformed");
    assertThat(preparer.unprepare(request.uid(), request.ref(), PrepareCall.withoutDeadline()))
        .isEmpty();
  }

  @Test
  void refusesADeviceNamedTwice() {
    assertThat(refusal(prepare(node.request("u1", 2, 2))).text()).contains("twice");
  }

  @Test
  void namesTheHolderOfADevice() {
    prepare(node.request("u1", 0));

    PrepareRefusal refusal = refusal(prepare(node.request("u2", 0)));

    assertThat(refusal.kind()).isEqualTo(PrepareRefusal.Kind.BUSY);
    assertThat(refusal.text())
        .startsWith("gpu-0 (GPU-")
        .endsWith("still held by claim team-a/claim-of-u1 (UID u1)");
  }

  @Test
  void doesNotNameTheHolderToAnotherNamespace() {
    prepare(node.request("u1", 0));
    PrepareRequest foreign =
        new PrepareRequest(
            new ClaimUid("u2"), new ClaimRef("team-b", "x"), node.request("u2", 0).grant());

    assertThat(refusal(prepare(foreign)).text())
        .startsWith("gpu-0 (GPU-")
        .endsWith("still held by a claim of another namespace, see the node's NodeInventory");
  }

  @Test
  void preparesAgainAfterUnprepare() throws IOException {
    prepare(node.request("u1", 0));

    assertThat(preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline())).isEmpty();
    assertNothingHeld();
    assertThat(prepare(node.request("u2", 0))).isInstanceOf(Ready.class);
  }

  @Test
  void unpreparesWhatItNeverHeardOf() {
    assertThat(preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline())).isEmpty();
  }

  @Test
  void unpreparesEveryClaimUnderTheSameKubeletKey() throws IOException {
    preparer.prepare(
        new PrepareRequest(U1, new ClaimRef("bc", "a"), node.grant("u1", 0)),
        PrepareCall.withoutDeadline());
    prepare(node.request("u3", 1));

    preparer.unprepare(U2, new ClaimRef("bc", "b"), PrepareCall.withoutDeadline());
    assertThat(preparer.held()).extracting(PreparedClaim::uid).contains(U1);
    preparer.unprepare(U2, new ClaimRef("c", "ab"), PrepareCall.withoutDeadline());

    assertThat(preparer.held()).extracting(PreparedClaim::uid).containsExactly(new ClaimUid("u3"));
  }

  @Test
  void undoesEverythingWhenAStepFails() throws IOException {
    for (String operation : ImmutableList.of("setUp", "write", "save")) {
      faults.fail(operation);
      assertThat(refusal(prepare(node.request("u1", 0, 1))).kind())
          .as(operation)
          .isEqualTo(PrepareRefusal.Kind.FAILED);
      faults.clear();
      preparer.sweep();
      assertNothingHeld();
    }
  }

  @Test
  void keepsTheDevicesOfAFailedUndoUntilASweepSucceeds() throws IOException {
    faults.fail("write");
    faults.on(
        "tearDown",
        () -> {
          throw new IOException("stuck");
        });
    refusal(prepare(node.request("u1", 0)));

    assertThat(preparer.held()).extracting(PreparedClaim::uid).containsExactly(U1);
    assertThat(refusal(prepare(node.request("u2", 0))).kind()).isEqualTo(PrepareRefusal.Kind.BUSY);
    faults.clear();
    preparer.sweep();

    assertNothingHeld();
  }

  @Test
  void redoesWhatIsHalfDone() {
    faults.fail("write");
    faults.on(
        "tearDown",
        () -> {
          throw new IOException("stuck");
        });
    prepare(node.request("u1", 0));
    faults.clear();

    assertThat(prepare(node.request("u1", 1))).isInstanceOf(Ready.class);
    assertThat(node.ready()).containsExactly(node.devices.gpus().get(1).uuid());
  }

  @Test
  void failedUnprepareIsRepeatedAndKeepsTheDevices() throws IOException {
    prepare(node.request("u1", 0));
    faults.fail("tearDown");

    assertThat(preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline())).isPresent();
    assertThat(preparer.held()).hasSize(1);
    faults.clear();

    assertThat(preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline())).isEmpty();
    assertNothingHeld();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tearDown", "remove", "save"})
  void aClaimWhoseUnprepareFailedIsPreparedForItsNextPod(String operation) throws IOException {
    PrepareOutcome first = prepare(node.request("u1", 0));
    faults.fail(operation);
    assertThat(preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline())).isPresent();
    faults.clear();
    preparer.sweep();

    assertThat(node.ready()).containsExactly(node.devices.gpus().get(0).uuid());
    assertThat(node.specs()).containsExactly(U1);
    assertThat(prepare(node.request("u1", 0))).isEqualTo(first);
    assertThat(preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline())).isEmpty();
    assertNothingHeld();
  }

  @Test
  void whatCanNeitherBeTakenBackNorPutBackSaysBoth() {
    prepare(node.request("u1", 0));
    faults.fail("tearDown");
    faults.fail("setUp");

    assertThat(preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline()))
        .map(PrepareRefusal::text)
        .hasValueSatisfying(
            text -> assertThat(text).contains("cannot tear down").contains("setUp"));
    faults.clear();
    preparer.sweep();
    assertThat(node.ready()).hasSize(1);
  }

  @Test
  void undoesAFinishedPrepareWhoseCallerWentAway() throws IOException {
    PrepareCall call = PrepareCall.withoutDeadline();
    preparer.prepare(node.request("u1", 0), call);
    call.cancel();

    assertThat(preparer.abandoned(call, ImmutableList.of(U1))).containsExactly(U1);
    assertNothingHeld();
  }

  @Test
  void keepsWhatAnEarlierCallPreparedWhenARepeatedOneIsCancelled() {
    PrepareCall first = PrepareCall.withoutDeadline();
    preparer.prepare(node.request("u1", 0), first);
    preparer.answered(ImmutableList.of(U1));
    PrepareCall second = PrepareCall.withoutDeadline();
    preparer.prepare(node.request("u1", 0), second);
    second.cancel();

    assertThat(preparer.abandoned(second, ImmutableList.of(U1))).isEmpty();
    assertThat(preparer.held()).hasSize(1);
  }

  @Test
  void leavesTheUndoToTheCallThatTookOverFromACancelledOne() {
    PrepareCall first = PrepareCall.withoutDeadline();
    preparer.prepare(node.request("u1", 0), first);
    first.cancel();
    PrepareCall second = PrepareCall.withoutDeadline();
    preparer.prepare(node.request("u1", 0), second);

    assertThat(preparer.abandoned(first, ImmutableList.of(U1))).isEmpty();
    assertThat(preparer.abandoned(second, ImmutableList.of(U1))).containsExactly(U1);
  }

  @Test
  void stopsBetweenStepsWhenTheCallerGoesAway() throws IOException {
    PrepareCall call = PrepareCall.withoutDeadline();
    faults.on("setUp", call::cancel);

    assertThat(refusal(preparer.prepare(node.request("u1", 0, 1), call)).kind())
        .isEqualTo(PrepareRefusal.Kind.CANCELLED);
    assertNothingHeld();
  }

  @Test
  void reportsAnOrphanAndKeepsItsDevices() {
    AtomicInteger changes = new AtomicInteger();
    prepare(node.request("u1", 0));
    preparer.onChange(changes::incrementAndGet);

    assertThat(preparer.orphaned(U1, true, Instant.EPOCH)).isTrue();
    assertThat(changes).hasValue(1);
    assertThat(preparer.orphaned(U1, true, Instant.MAX)).isFalse();

    assertThat(changes).hasValue(1);
    assertThat(preparer.held().get(0).orphanedSince()).contains(Instant.EPOCH);
    assertThat(node.ready()).hasSize(1);
    assertThat(preparer.orphaned(U1, false, Instant.EPOCH)).isTrue();
    assertThat(preparer.held().get(0).orphanedSince()).isEmpty();
  }

  @Test
  void listsAClaimFromTheMomentItIsIntended() {
    AtomicInteger listed = new AtomicInteger(-1);
    faults.on("setUp", () -> listed.set(preparer.held().size()));

    prepare(node.request("u1", 0));

    assertThat(listed).hasValue(1);
  }
}
