package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.pods.NodePods.PodSet;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.ManualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A named claim, a boot, the claim's next pod, and the claim is deleted. */
class LostClaimReclaimerTest {

  private static final ClaimUid U1 = new ClaimUid("u1");
  private static final String USER = "pod-of-u1";
  private static final String PROXY = "proxy";
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @TempDir Path directory = Path.of("");

  private FakeNode node;
  private ClaimPreparer preparer;
  private LostClaimReclaimer lostClaimReclaimer;
  private final ManualClock clock = new ManualClock();
  private final Faults faults = new Faults();

  @BeforeEach
  void aClaimIsPreparedInASecondBoot() throws IOException {
    node = new FakeNode(directory);
    there(PROXY);
    prepare(node.start());
    node.bootId = "boot-2";
    node.grants.grant(ref("u1"), node.grant("u1", 0));
    start();
    preparer.kubeletAsksAgain();
    prepare(preparer);
    there(PROXY, USER);
    minutes(1);
  }

  private void start() throws IOException {
    preparer = node.start(faults, FakeNode.PATIENT);
    lostClaimReclaimer = preparer.lostClaimReclaimer(clock);
  }

  private PrepareOutcome prepare(ClaimPreparer process) {
    return prepare(process, "u1", 0);
  }

  private PrepareOutcome prepare(ClaimPreparer process, String uid, int gpu) {
    PrepareOutcome outcome = process.prepare(node.request(uid, gpu), PrepareCall.withoutDeadline());
    process.answered(ImmutableList.of(new ClaimUid(uid)));
    return outcome;
  }

  private void there(String... pods) {
    node.pods = Optional.of(new PodSet(ImmutableSet.copyOf(pods), ImmutableSet.copyOf(pods)));
  }

  private void delete() {
    node.grants.put(ref("u1"), new LiveGrant.Gone());
  }

  private void minutes(int count) {
    for (int i = 0; i < count; i++) {
      lostClaimReclaimer.attempt();
      clock.advance(MINUTE);
    }
  }

  private void isHeld() {
    assertThat(preparer.held()).extracting(PreparedClaim::uid).containsExactly(U1);
    assertThat(node.ready()).hasSize(1);
  }

  private void isFree() throws IOException {
    assertThat(preparer.held()).isEmpty();
    assertThat(node.ready()).isEmpty();
    assertThat(node.specs()).isEmpty();
  }

  @Test
  void whatNobodyHasComesHome() throws IOException {
    there(PROXY);
    delete();

    minutes(5);
    isHeld();
    minutes(1);

    isFree();
  }

  /** A look walks all cgroups of the node. */
  @Test
  void nobodyLooksAtThePodsForAClaimThatIsThere() {
    int before = node.looksAtPods;

    minutes(10);

    assertThat(node.looksAtPods).isEqualTo(before);
  }

  @Test
  void forAllClaimsThatAreGoneOneLookIsEnough() throws IOException {
    there(PROXY);
    node.grants.grant(ref("u2"), node.grant("u2", 1));
    prepare(preparer, "u2", 1);
    isPreparedInAThirdBoot();
    prepare(preparer, "u2", 1);
    delete();
    node.grants.put(ref("u2"), new LiveGrant.Gone());
    minutes(5);
    assertThat(preparer.held()).hasSize(2);
    int before = node.looksAtPods;

    minutes(1);

    isFree();
    assertThat(node.looksAtPods).isEqualTo(before + 1);
  }

  @Test
  void theKubeletTakesTheNameForPreparedUntilItUnpreparesIt() throws IOException {
    there(PROXY);
    delete();
    minutes(7);
    isFree();

    assertThat(preparer.listed())
        .singleElement()
        .satisfies(named -> assertThat(named.parts()).isEmpty());
    start();
    preparer.kubeletAsksAgain();
    assertThat(preparer.listed()).as("after a restart").hasSize(1);
    preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline());

    assertThat(preparer.listed()).isEmpty();
  }

  @Test
  void theNextBootKnowsNothingOfIt() throws IOException {
    there(PROXY);
    delete();
    minutes(7);
    node.bootId = "boot-3";
    start();
    preparer.kubeletAsksAgain();

    assertThat(preparer.listed()).isEmpty();
  }

  @Test
  void aPodThatWasEverSeenToUseItKeepsIt() throws IOException {
    node.grants.put(
        ref("u1"), new LiveGrant.Granted(U1, node.grant("u1", 0), ImmutableSet.of("other", USER)));
    minutes(1);
    node.grants.grant(ref("u1"), node.grant("u1", 0));
    minutes(1);
    delete();
    there(PROXY, "other");

    minutes(60);
    isHeld();
    there(PROXY);
    minutes(1);

    isFree();
  }

  @Test
  void soDoesOneWhoseUseWasReadByAnEarlierProcess() throws IOException {
    node.grants.put(
        ref("u1"), new LiveGrant.Granted(U1, node.grant("u1", 0), ImmutableSet.of(PROXY)));
    minutes(1);
    start();
    there(PROXY);
    delete();

    minutes(60);

    isHeld();
  }

  @Test
  void aPodThatJoinedUnseenAndStillRunsKeepsIt() throws IOException {
    there(PROXY, USER, "joined");
    delete();
    minutes(6);
    there(PROXY, "joined");

    minutes(60);
    isHeld();
    there(PROXY);
    minutes(1);

    isFree();
  }

  @Test
  void aPodWhoseSandboxIsNotThereYetWhenItIsPreparedMayStillJoin() throws IOException {
    node.pods = Optional.of(new PodSet(ImmutableSet.of(PROXY, "slow"), ImmutableSet.of(PROXY)));
    isPreparedInAThirdBoot();
    there(PROXY, "slow");
    delete();

    minutes(60);

    isHeld();
  }

  private void isPreparedInAThirdBoot() throws IOException {
    node.bootId = "boot-3";
    start();
    prepare(preparer);
  }

  @Test
  void oneThatComesLaterDoesNotForItCannotBegin() throws IOException {
    there(PROXY);
    delete();
    minutes(2);
    there(PROXY, "later");
    minutes(3);
    isHeld();
    minutes(1);

    isFree();
  }

  @Test
  void onceItIsWatchedNoContainerCanBegin() throws IOException {
    delete();
    minutes(1);
    assertThat(node.specs()).containsExactly(U1);

    minutes(1);
    preparer.restoreSpecs();
    preparer.sweep();

    isHeld();
    assertThat(node.specs()).isEmpty();
    assertThat(prepare(preparer)).isInstanceOf(PrepareOutcome.Refused.class);
    assertThat(node.specs()).isEmpty();
  }

  @Test
  void afterARestartItBeginsAnew() throws IOException {
    there(PROXY);
    delete();
    minutes(2);
    start();
    assertThat(node.specs()).containsExactly(U1);

    minutes(1);
    assertThat(node.specs()).containsExactly(U1);
    minutes(4);
    isHeld();
    minutes(1);

    isFree();
  }

  @Test
  void aClaimThatIsThereAfterAllIsOpenedAgain() throws IOException {
    delete();
    minutes(6);
    node.grants.grant(ref("u1"), node.grant("u1", 0));
    minutes(1);
    preparer.restoreSpecs();

    assertThat(node.specs()).containsExactly(U1);
    minutes(60);
    isHeld();
  }

  @Test
  void aServerThatDoesNotAnswerChangesNothing() throws IOException {
    there(PROXY);
    node.grants.away = true;

    minutes(60);

    isHeld();
    assertThat(node.specs()).containsExactly(U1);
  }

  @Test
  void norDoesOneThatNoLongerAnswers() throws IOException {
    there(PROXY);
    delete();
    minutes(5);
    node.grants.away = true;

    minutes(60);
    isHeld();
    node.grants.away = false;
    node.grants.put(ref("u1"), new LiveGrant.Unreadable("it is too large"));
    minutes(60);
    isHeld();
    delete();
    minutes(1);

    isFree();
  }

  /** A question without an answer may take ten seconds, and sockets are restored beside it. */
  @Test
  void aServerThatDoesNotAnswerIsAskedOnce() throws IOException {
    node.grants.grant(ref("u2"), node.grant("u2", 1));
    preparer.prepare(node.request("u2", 1), PrepareCall.withoutDeadline());
    isPreparedInAThirdBoot();
    preparer.prepare(node.request("u2", 1), PrepareCall.withoutDeadline());
    node.grants.asked.clear();
    minutes(1);
    assertThat(node.grants.asked).containsExactlyInAnyOrder(ref("u1"), ref("u2"));

    node.grants.away = true;
    minutes(1);

    assertThat(node.grants.asked).hasSize(3);
  }

  @Test
  void whereThePodsAreNotKnownItStaysAsItIs() throws IOException {
    delete();
    node.pods = Optional.empty();

    minutes(60);

    isHeld();
    assertThat(node.specs()).containsExactly(U1);
  }

  @Test
  void whereTheyWereNotKnownWhenItWasPreparedItStaysAsItIs() throws IOException {
    node.pods = Optional.empty();
    isPreparedInAThirdBoot();
    there(PROXY);
    delete();

    minutes(60);

    isHeld();
  }

  @Test
  void whatTheKubeletDidNotKnowBeforeThisBootIsItsToGiveBack() throws IOException {
    preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline());
    prepare(preparer);
    there(PROXY);
    delete();

    minutes(60);

    isHeld();
  }

  @Test
  void whatCannotBeTakenBackWholeIsTriedAgain() throws IOException {
    there(PROXY);
    delete();
    minutes(5);
    faults.fail("tearDown");
    minutes(1);
    isHeld();
    assertThat(preparer.listed().get(0).parts()).hasSize(1);

    faults.clear();
    preparer.sweep();

    isFree();
    assertThat(preparer.listed()).as("the name").hasSize(1);
  }
}
