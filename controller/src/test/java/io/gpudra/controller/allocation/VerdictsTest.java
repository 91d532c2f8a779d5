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

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Policy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What many claims that ask for the same cost. */
class VerdictsTest {
  private static final int NODES = 20;
  private static final int REQUESTS = 100;
  private static final int CLAIMS = 10_000;

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
      assertThat(ask(i)).isInstanceOf(Commitment.NoNode.class);
    }
  }

  private Commitment ask(int claim) {
    ClaimRequest wants = request("c" + claim, 2, counted(claim % REQUESTS), Policy.PACK);
    return ledgers.commitBest(pod(wants), OWNER, STAMP);
  }

  private CountedCondition counted(int number) {
    return new CountedCondition(number, /* tellsNodesApart= */ false, judgements);
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
    Commitment.NoNode here = (Commitment.NoNode) ask(0);
    takeJudgements();
    Commitment.NoNode there =
        (Commitment.NoNode)
            ledgers.commitBest(
                pod(Samples.of("team-b", request("c", 2, counted(0), Policy.PACK))), OWNER, STAMP);

    assertThat(takeJudgements()).isZero();
    assertThat(there.reasons()).isSameAs(here.reasons());
  }

  @Test
  void theReasonsAreTheSameObjectWhileNoNodeChanges() {
    Commitment.NoNode first = (Commitment.NoNode) ask(0);
    assertThat(((Commitment.NoNode) ask(REQUESTS)).reasons()).isSameAs(first.reasons());
    ledgers.nodeGone("n3");
    ledgers.release(uid("holder3"), OWNER);

    assertThat(((Commitment.NoNode) ask(0)).reasons()).hasSize(NODES - 1).doesNotContainKey("n3");
  }

  @Test
  void onlyTheNodesThatAreNamedAreLookedAt() {
    ledgers.release(uid("holder7"), OWNER);
    ImmutableSet<String> others = ImmutableSet.of("n3", "n4", "gone");
    Commitment refused = ledgers.commitBest(pod(wants("one", 1)), others, OWNER, STAMP);

    assertThat(((Commitment.NoNode) refused).reasons()).containsOnlyKeys("n3", "n4");
    assertThat(ledgers.commitBest(pod(wants("one", 1)), ImmutableSet.of("n3", "n7"), OWNER, STAMP))
        .isInstanceOfSatisfying(
            Commitment.Committed.class, done -> assertThat(done.node()).isEqualTo("n7"));
  }

  @Test
  void whatBecomesFreeIsFound() {
    ClaimRequest one = wants("one", 1);
    assertThat(ledgers.commitBest(pod(one), OWNER, STAMP)).isInstanceOf(Commitment.NoNode.class);
    ledgers.release(uid("holder7"), OWNER);

    assertThat(ledgers.commitBest(pod(one), OWNER, STAMP))
        .isInstanceOfSatisfying(
            Commitment.Committed.class, done -> assertThat(done.node()).isEqualTo("n7"));
    assertThat(ledgers.commitBest(pod(wants("two", 1)), OWNER, STAMP))
        .isInstanceOf(Commitment.NoNode.class);
  }

  @Test
  void aClaimThatItsOwnNameKeepsAwayIsToldOfAllNodes() {
    ledgers.observe(with(inventory("n7", 2), prepared("named", "n7", 0)));
    ledgers.release(uid("holder7"), OWNER);
    Commitment refused = ledgers.commitBest(pod(wants("named", 1)), OWNER, STAMP);

    assertThat(((Commitment.Refused) refused).reasons()).hasSize(NODES);
    assertThat(Samples.reason(refused, "n7", "named").label()).isEqualTo("stillPrepared");
    assertThat(ledgers.commitBest(pod(wants("other", 1)), OWNER, STAMP))
        .isInstanceOf(Commitment.Committed.class);
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
    ledgers.commitBest(pod(request(claim, 3, counted(number), Policy.PACK)), OWNER, STAMP);
    return takeJudgements();
  }

  @Test
  void nodesThatComeAndGoAreForgotten() {
    ask(0);
    for (int i = 0; i < 1_000; i++) {
      ledgers.observe(inventory("short" + i, 1));
      ledgers.nodeGone("short" + i);
    }

    assertThat(((Commitment.NoNode) ask(0)).reasons()).hasSize(NODES);
  }
}
