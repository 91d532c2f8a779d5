package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.prepared;
import static io.gpudra.controller.allocation.Samples.request;
import static io.gpudra.controller.allocation.Samples.uid;
import static io.gpudra.controller.allocation.Samples.wants;
import static io.gpudra.controller.allocation.Samples.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.MatchAttribute;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.testing.NodeFixture;
import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What many claims that ask for the same cost. */
class ImmediateNodeCacheTest {
  private static final int NODES = 20;
  private static final int REQUESTS = 100;
  private static final int CLAIMS = 10_000;
  private static final int TOO_MANY_FOR_A_NODE = 2_500;
  private static final int TOO_MANY_FOR_A_LOOK = 25_000;

  private final Ledgers ledgers = new Ledgers();
  private final AtomicInteger judgements = new AtomicInteger();

  @BeforeEach
  void fullNodes() {
    for (int i = 0; i < NODES; i++) {
      ledgers.observe(inventory("n" + i, 1));
      Samples.hold(ledgers, "holder" + i, "n" + i, 0);
    }
  }

  private void everybodyAsks() {
    for (int i = 0; i < CLAIMS; i++) {
      assertThat(ask(i)).isInstanceOf(CommitResult.NoNode.class);
    }
  }

  private CommitResult ask(int claim) {
    ClaimRequest wants = request("c" + claim, 2, counted(claim % REQUESTS), AllocationPolicy.PACK);
    return ledgers.commitBest(pod(wants), OWNER, STAMP);
  }

  private CountedCondition counted(int number) {
    return new CountedCondition(number, /* differsBetweenNodes= */ false, judgements);
  }

  private int takeJudgements() {
    return judgements.getAndSet(0);
  }

  @Test
  void equalRequestsAreJudgedOnceForEachStateOfANode() {
    everybodyAsks();
    int ofOneNode = takeJudgements() / NODES;
    everybodyAsks();
    assertThat(takeJudgements()).as("nothing changed").isZero();
    ledgers.release(uid("holder3"), OWNER);
    everybodyAsks();

    assertThat(takeJudgements()).as("one node changed").isEqualTo(ofOneNode);
    assertThat(ofOneNode).as("a request is a judgement or two").isLessThanOrEqualTo(2 * REQUESTS);
  }

  @Test
  void whoAsksTheSameInAnotherNamespaceHasTheSameAnswer() {
    CommitResult.NoNode here = (CommitResult.NoNode) ask(0);
    takeJudgements();
    CommitResult.NoNode there =
        (CommitResult.NoNode)
            ledgers.commitBest(
                pod(Samples.of("team-b", request("c", 2, counted(0), AllocationPolicy.PACK))),
                OWNER,
                STAMP);

    assertThat(takeJudgements()).isZero();
    assertThat(there.reasons()).isSameAs(here.reasons());
  }

  @Test
  void theReasonsAreTheSameObjectWhileNoNodeChanges() {
    CommitResult.NoNode first = (CommitResult.NoNode) ask(0);
    assertThat(((CommitResult.NoNode) ask(REQUESTS)).reasons()).isSameAs(first.reasons());
    ledgers.nodeGone("n3");
    ledgers.release(uid("holder3"), OWNER);

    assertThat(((CommitResult.NoNode) ask(0)).reasons()).hasSize(NODES - 1).doesNotContainKey("n3");
  }

  @Test
  void onlyTheNodesThatAreNamedAreLookedAt() {
    ledgers.release(uid("holder7"), OWNER);
    ImmutableSet<String> others = ImmutableSet.of("n3", "n4", "gone");
    CommitResult refused = ledgers.commitBest(pod(wants("one", 1)), others, OWNER, STAMP);

    assertThat(((CommitResult.NoNode) refused).reasons()).containsOnlyKeys("n3", "n4");
    assertThat(ledgers.commitBest(pod(wants("one", 1)), ImmutableSet.of("n3", "n7"), OWNER, STAMP))
        .isInstanceOfSatisfying(
            CommitResult.Committed.class, done -> assertThat(done.node()).isEqualTo("n7"));
  }

  @Test
  void whatBecomesFreeIsFound() {
    ClaimRequest one = wants("one", 1);
    assertThat(ledgers.commitBest(pod(one), OWNER, STAMP)).isInstanceOf(CommitResult.NoNode.class);
    ledgers.release(uid("holder7"), OWNER);

    assertThat(ledgers.commitBest(pod(one), OWNER, STAMP))
        .isInstanceOfSatisfying(
            CommitResult.Committed.class, done -> assertThat(done.node()).isEqualTo("n7"));
    assertThat(ledgers.commitBest(pod(wants("two", 1)), OWNER, STAMP))
        .isInstanceOf(CommitResult.NoNode.class);
  }

  @Test
  void aClaimThatItsOwnNameKeepsAwayIsToldOfAllNodes() {
    ledgers.observe(with(inventory("n7", 2), prepared("named", "n7", 0)));
    ledgers.release(uid("holder7"), OWNER);
    CommitResult refused = ledgers.commitBest(pod(wants("named", 1)), OWNER, STAMP);

    assertThat(((CommitResult.Refused) refused).reasons()).hasSize(NODES);
    assertThat(Samples.reason(refused, "n7", "named").kind().label()).isEqualTo("stillPrepared");
    assertThat(ledgers.commitBest(pod(wants("other", 1)), OWNER, STAMP))
        .isInstanceOf(CommitResult.Committed.class);
  }

  @Test
  void theRequestsThatWereAskedLeastLatelyAreForgotten() {
    int nodes = 2_000;
    int more = 600;
    for (int i = 0; i < nodes - NODES; i++) {
      ledgers.observe(inventory("more" + i, 0));
    }
    for (int i = 0; i < more; i++) {
      asked("c" + i, i);
    }

    assertThat(asked("c", more - 1)).as("asked lately").isZero();
    assertThat(asked("c", 0)).as("asked least lately").isPositive();
  }

  @Test
  void whatAClaimAskedBeforeIsForgotten() {
    asked("a", 1);
    asked("a", 2);

    assertThat(asked("b", 1)).isPositive();
    assertThat(asked("c", 2)).as("what it asks now").isZero();
  }

  @Test
  void whatAClaimAskedIsForgottenWithIt() {
    asked("a", 1);
    ledgers.gone(uid("a"));

    assertThat(asked("b", 1)).isPositive();
  }

  /** How often nodes were judged for it. */
  private int asked(String claim, int number) {
    takeJudgements();
    ledgers.commitBest(
        pod(request(claim, 3, counted(number), AllocationPolicy.PACK)), OWNER, STAMP);
    return takeJudgements();
  }

  /** Fits where ten GPUs are free; elsewhere so many ways come to nothing. */
  private ClaimRequest hard(int ways) {
    DeviceSubRequest ten = DeviceSubRequest.whole(10, counted(0));
    DeviceConstraints alike =
        new DeviceConstraints(Optional.empty(), ImmutableSet.of(MatchAttribute.PRODUCT_NAME));
    RequestAlternative way = new RequestAlternative(ImmutableList.of(ten), alike);
    return wants("hard", 1).with(ImmutableList.copyOf(Collections.nCopies(ways, way)));
  }

  /** Of a look that finds no node: how often nodes were judged. */
  private int look(ClaimRequest claim) {
    takeJudgements();
    assertThat(ledgers.commitBest(pod(claim), OWNER, STAMP))
        .isInstanceOf(CommitResult.NoNode.class);
    return takeJudgements();
  }

  private void lookUntilAllIsDecided(ClaimRequest claim) {
    for (int looks = 0; look(claim) > 0; looks++) {
      assertThat(looks).isLessThan(NODES);
    }
  }

  private void isGranted(ClaimRequest claim, String node) {
    assertThat(ledgers.commitBest(pod(claim), OWNER, STAMP))
        .isInstanceOfSatisfying(
            CommitResult.Committed.class, done -> assertThat(done.node()).isEqualTo(node));
  }

  @Test
  void aNodeThatTheBudgetOfALookWasNotEnoughForIsAskedAtALaterOneThoughNothingChanged() {
    ClaimRequest hard = hard(TOO_MANY_FOR_A_NODE);
    lookUntilAllIsDecided(hard);
    for (int i = 0; i < NODES; i++) {
      ledgers.observe(inventory("n" + i, 2));
    }
    ledgers.observe(inventory("last", 10));
    look(hard);
    look(hard);

    isGranted(hard, "last");
  }

  @Test
  void nodesThatChangeBeforeEachLookKeepNoOtherFromBeingAsked() {
    ClaimRequest hard = hard(TOO_MANY_FOR_A_NODE);
    lookUntilAllIsDecided(hard);
    for (int gpus = 2; gpus < 4; gpus++) {
      for (int i = 0; i < NODES; i++) {
        ledgers.observe(inventory("n" + i, gpus));
      }
      ledgers.observe(inventory("last", 10));
      look(hard);
    }
    for (int i = 0; i < NODES; i++) {
      ledgers.observe(inventory("n" + i, 4));
    }

    isGranted(hard, "last");
  }

  @Test
  void whatIsTooHardForANodeIsNotSearchedForAgainUntilItChanges() {
    ClaimRequest hard = hard(TOO_MANY_FOR_A_NODE);
    lookUntilAllIsDecided(hard);
    ledgers.release(uid("holder3"), OWNER);
    ledgers.release(uid("holder4"), OWNER);

    assertThat(look(hard)).as("another state").isPositive();
    assertThat(look(hard)).as("the same state").isZero();
  }

  @Test
  void aNodeThatTakesTheBudgetOfAWholeLookIsDecidedByIt() {
    ClaimRequest hard = hard(TOO_MANY_FOR_A_LOOK);
    for (int i = 0; i < NODES; i++) {
      assertThat(look(hard)).isPositive();
    }

    assertThat(look(hard)).as("one node a look").isZero();
  }

  @Test
  void nodesThatNeedNoSearchAreDecidedThoughOthersUsedUpTheBudgetOfALook() {
    ClaimRequest hard = hard(TOO_MANY_FOR_A_LOOK);
    for (int i = 1; i < NODES; i++) {
      NodeState cordoned = NodeFixture.cordoned(NodeFixture.ready("n" + i));
      ledgers.observe(with(inventory("n" + i, 1), cordoned));
    }
    CommitResult.NoNode first = (CommitResult.NoNode) ledgers.commitBest(pod(hard), OWNER, STAMP);
    CommitResult.NoNode again = (CommitResult.NoNode) ledgers.commitBest(pod(hard), OWNER, STAMP);

    assertThat(again.reasons()).hasSize(NODES).isSameAs(first.reasons());
  }

  @Test
  void nodesThatComeAndGoAreForgotten() {
    ask(0);
    for (int i = 0; i < 1_000; i++) {
      ledgers.observe(inventory("short" + i, 1));
      ledgers.nodeGone("short" + i);
    }

    assertThat(((CommitResult.NoNode) ask(0)).reasons()).hasSize(NODES);
  }
}
