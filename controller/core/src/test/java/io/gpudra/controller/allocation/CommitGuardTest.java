package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.ref;
import static io.gpudra.controller.allocation.Samples.uid;
import static io.gpudra.controller.allocation.Samples.wants;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Limits that are those of no node. */
class CommitGuardTest {
  private static final CommitResult LIMITED =
      new CommitResult.Limited(HeldClaims.LIMIT.why(), ImmutableSet.of("quota"));

  private final HeldClaims guard = new HeldClaims(1);
  private final Ledgers ledgers = new Ledgers(guard);

  @BeforeEach
  void twoNodes() {
    ledgers.observe(inventory("n0", 4));
    ledgers.observe(inventory("n1", 4));
  }

  private void assertNothingIsHeld() {
    assertThat(ledgers.heldClaims()).isZero();
    assertThat(guard.count()).isZero();
  }

  @Test
  void aBatchBeyondTheLimitIsNotHeldWhateverTheNode() {
    PodRequest two = pod(wants("a", 1), wants("b", 1));

    assertThat(ledgers.commit("n0", two, OWNER, STAMP)).isEqualTo(LIMITED);
    assertThat(ledgers.commitBest(two, OWNER, STAMP)).isEqualTo(LIMITED);
    assertThat(
            ledgers.commitAll(
                ImmutableMap.of("n0", pod(wants("a", 1)), "n1", pod(wants("b", 1))), OWNER, STAMP))
        .isEqualTo(LIMITED);
    assertNothingIsHeld();
  }

  @Test
  void whatIsTooMuchAtLeastIsNotSearchedFor() {
    PodRequest three = pod(wants("a", 3));

    assertThat(ledgers.commit("gone", three, OWNER, STAMP)).isEqualTo(LIMITED);
    assertThat(ledgers.limit(three)).hasValue((CommitResult.Limited) LIMITED);
    assertThat(ledgers.limit(pod(wants("a", 1)))).isEmpty();
    assertThat(ledgers.commitBest(three, OWNER, STAMP)).isEqualTo(LIMITED);
    assertThat(ledgers.commitAll(ImmutableMap.of("n0", three), OWNER, STAMP)).isEqualTo(LIMITED);
    assertNothingIsHeld();
  }

  @Test
  void aBatchThatHoldsAlreadyHoldsOn() {
    CommitResult first = ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP);

    assertThat(ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP)).isEqualTo(first);
    assertThat(ledgers.commit("n0", pod(wants("b", 1)), OWNER, STAMP)).isEqualTo(LIMITED);
  }

  @Test
  void everyChangeIsToldHoweverItComes() {
    ledgers.commit("n0", pod(wants("a", 1)), OWNER, STAMP);
    assertThat(guard.count()).isOne();
    ledgers.granted(uid("a"), OWNER);
    Samples.hold(ledgers, "b", "n1", 0, 1);
    assertThat(guard.count()).isEqualTo(2);
    ledgers.release(uid("a"), OWNER);
    ledgers.nodeGone("n1");
    assertThat(guard.count()).isOne();
    ledgers.observe(ref("b"), uid("b"), Optional.empty());
    assertNothingIsHeld();
  }

  @Test
  void aLimitRefusesNoNode() {
    assertThat(
            Samples.refusal(ledgers, "n0", pod(wants("a", 1), wants("b", 1)), new SearchBudget()))
        .isEmpty();
  }

  @Test
  void aGuardThatFailsLeavesNothingHalfDone() {
    Ledgers broken =
        new Ledgers(
            new CommitGuard() {
              @Override
              public Before before(PodRequest request) {
                return new Before.GoOn(request);
              }

              @Override
              public Optional<Limit> ask(
                  ImmutableList<NodeLedger> seen, ImmutableList<NodeLedger> next) {
                return Optional.empty();
              }

              @Override
              public void changed(NodeLedger before, NodeLedger after) {
                throw new IllegalStateException("broken");
              }
            });
    broken.observe(inventory("n0", 1));

    assertThat(broken.commit("n0", pod(wants("a", 1)), OWNER, STAMP))
        .isInstanceOf(CommitResult.Committed.class);
    assertThat(broken.heldClaims()).isOne();
  }

  @Test
  void allLedgersAreShownAsTheyAreTogether() {
    List<String> shown = new ArrayList<>();
    ledgers.withAll(all -> all.forEach(ledger -> shown.add(ledger.node())));

    assertThat(shown).containsExactlyInAnyOrder("n0", "n1");
  }
}
