package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.HASTY;
import static io.gpudra.kubeletplugin.testing.FakeNode.PATIENT;
import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.kubeletplugin.prepare.call.WaitTimeout;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls that are interrupted, meet each other, or find that something cannot be undone. */
class DisturbedCallsTest {

  private static final ClaimUid U1 = new ClaimUid("u1");

  @TempDir Path directory = Path.of("");
  private final Faults faults = new Faults();

  @SuppressWarnings("NullAway.Init") // set before each test
  private FakeNode node;

  @BeforeEach
  void start() {
    node = new FakeNode(directory);
  }

  private ClaimPreparer preparer(WaitTimeout waitTimeout) throws IOException {
    return node.start(faults, waitTimeout);
  }

  private static PrepareOutcome prepare(ClaimPreparer preparer, PrepareRequest request) {
    return preparer.prepare(request, PrepareCall.withoutDeadline());
  }

  private static Optional<PrepareRefusal> unprepare(ClaimPreparer preparer) {
    return preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline());
  }

  private void leaveHalfDone(ClaimPreparer preparer) {
    faults.fail("write");
    faults.fail("tearDown");
    assertThat(prepare(preparer, node.request("u1", 0))).isInstanceOf(Refused.class);
    faults.clear();
  }

  @Test
  void whatTheKubeletHasAnAnswerForIsUndoneByNoCall() throws IOException {
    ClaimPreparer preparer = preparer(HASTY);
    PrepareCall first = PrepareCall.withoutDeadline();
    preparer.prepare(node.request("u1", 0), first);
    preparer.answered(ImmutableList.of(U1));
    first.cancel();
    PrepareCall second = PrepareCall.withoutDeadline();
    preparer.prepare(node.request("u1", 0), second);
    second.cancel();

    assertThat(preparer.abandoned(first, ImmutableList.of(U1))).isEmpty();
    assertThat(preparer.abandoned(second, ImmutableList.of(U1))).isEmpty();
    assertThat(preparer.held()).hasSize(1);
  }

  @Test
  void whatIsHalfDoneAndCannotBeUndoneIsNotPrepared() throws IOException {
    ClaimPreparer preparer = preparer(HASTY);
    leaveHalfDone(preparer);
    faults.fail("tearDown");

    assertThat(prepare(preparer, node.request("u1", 1)))
        .isInstanceOfSatisfying(
            Refused.class, no -> assertThat(no.refusal().text()).contains("tearDown fails"));
    faults.clear();
    assertThat(prepare(preparer, node.request("u1", 1))).isInstanceOf(Ready.class);
  }

  @Test
  void aNewProcessGivesNoFileToWhatWasOnlyIntended() throws IOException {
    leaveHalfDone(preparer(HASTY));
    faults.fail("tearDown");

    assertThat(preparer(HASTY).held()).as("its device may be in use").hasSize(1);
    assertThat(node.specs()).isEmpty();
  }

  @Test
  void anUnprepareThatMeetsAnotherCallIsRefused() throws IOException {
    ClaimPreparer preparer = preparer(HASTY);
    List<Optional<PrepareRefusal>> meanwhile = new ArrayList<>();
    faults.on("setUp", () -> meanwhile.add(unprepare(preparer)));

    assertThat(prepare(preparer, node.request("u1", 0))).isInstanceOf(Ready.class);
    assertThat(meanwhile)
        .singleElement()
        .isEqualTo(
            Optional.of(
                new PrepareRefusal(
                    PrepareRefusal.Kind.BUSY, "another call is working on claim " + U1)));
  }

  @Test
  void whoIsInterruptedWhileItWaitsSaysSoAndStaysInterrupted() throws IOException {
    ClaimPreparer preparer = preparer(PATIENT);
    prepare(preparer, node.request("u1", 0));

    Thread.currentThread().interrupt();
    PrepareOutcome outcome = prepare(preparer, node.request("u2", 0));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(outcome).isInstanceOf(Refused.class);
    assertThat(preparer.held()).hasSize(1);
  }

  @Test
  void anUnprepareThatIsInterruptedWhileItWaitsSaysSoAndStaysInterrupted() throws IOException {
    ClaimPreparer preparer = preparer(PATIENT);
    List<Boolean> meanwhile = new ArrayList<>();
    faults.on(
        "setUp",
        () -> {
          Thread.currentThread().interrupt();
          meanwhile.add(unprepare(preparer).isPresent());
          meanwhile.add(Thread.interrupted());
        });

    assertThat(prepare(preparer, node.request("u1", 0))).isInstanceOf(Ready.class);
    assertThat(meanwhile).containsExactly(true, true);
  }

  @Test
  void aFileThatSomebodyRemovedIsPutBackOrToldOf() throws IOException {
    ClaimPreparer preparer = preparer(HASTY);
    prepare(preparer, node.request("u1", 0));
    removeFiles();
    assertThat(preparer.restoreSpecs()).isEmpty();
    assertThat(node.specs()).containsExactly(U1);
    removeFiles();
    faults.fail("write");

    assertThat(preparer.restoreSpecs()).containsOnlyKeys(U1);
  }

  private void removeFiles() throws IOException {
    try (Stream<Path> files = Files.list(node.cdi)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void aNameThatCanHaveNoFileIsNotLookedFor() throws IOException {
    ClaimPreparer preparer = preparer(HASTY);
    faults.fail("remove");

    assertThat(
            preparer.unprepare(
                new ClaimUid("../u1"), new ClaimRef("team-a", "x"), PrepareCall.withoutDeadline()))
        .isEmpty();
    assertThat(unprepare(preparer)).as("a file there would be removed").isPresent();
  }

  @Test
  void whatCannotBeWrittenDownAsPreparedIsNot() throws IOException {
    ClaimPreparer preparer = preparer(HASTY);
    faults.on("write", () -> faults.fail("save"));

    assertThat(prepare(preparer, node.request("u1", 0))).isInstanceOf(Refused.class);

    faults.clear();
    preparer.sweep();
    assertThat(preparer.held()).isEmpty();
    assertThat(node.specs()).isEmpty();
  }

  @Test
  void whatACallThatEndedLeftBecauseItCouldNotBeUndoneIsUndoneLater() throws IOException {
    ClaimPreparer preparer = preparer(HASTY);
    PrepareCall call = PrepareCall.withoutDeadline();
    preparer.prepare(node.request("u1", 0), call);
    faults.fail("tearDown");
    assertThat(preparer.abandoned(call, ImmutableList.of(U1))).containsExactly(U1);
    assertThat(preparer.held()).as("its device may be in use").hasSize(1);
    faults.clear();

    preparer.sweep();

    assertThat(preparer.held()).isEmpty();
    assertThat(node.ready()).isEmpty();
  }

  @Test
  void anUnprepareDoesNotWaitForAnotherClaimUnderItsKey() throws IOException {
    ClaimPreparer preparer = preparer(HASTY);
    List<Optional<PrepareRefusal>> meanwhile = new ArrayList<>();
    ClaimRef sameKey = new ClaimRef("m-a", "claim-of-u1tea");
    faults.on(
        "setUp",
        () ->
            meanwhile.add(
                preparer.unprepare(new ClaimUid("u2"), sameKey, PrepareCall.withoutDeadline())));

    assertThat(prepare(preparer, node.request("u1", 0))).isInstanceOf(Ready.class);

    assertThat(meanwhile).containsExactly(Optional.empty());
    assertThat(preparer.held()).hasSize(1);
  }
}
