package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.ExecutionError;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.placement.AvailableCount;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.Inventory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes wrong with the data of one node refuses that node, and no other. */
class OneNodesFaultTest {

  private static final String EVIL = "a-evil";
  private static final String GOOD = "b-good";

  /** What may go wrong. */
  enum Fault {
    EXCEPTION,
    STACK,
    STACK_IN_A_CACHE;

    long happen() {
      switch (this) {
        case EXCEPTION -> throw new ArithmeticException("long overflow");
        case STACK -> throw new StackOverflowError();
        case STACK_IN_A_CACHE -> throw new ExecutionError(new StackOverflowError());
      }
      return 0;
    }
  }

  /** Every GPU will do; of one node that cannot be found out. */
  private record Faulty(Fault fault) implements FixedPredicate {
    @Override
    public long matching(Inventory node) {
      return node.node().name().equals(EVIL) ? fault.happen() : 1;
    }

    @Override
    public boolean differsBetweenNodes() {
      return true;
    }
  }

  private final Ledgers ledgers = new Ledgers();

  private static ClaimRequest claim(String name, Fault fault) {
    return request(name, 1, new Faulty(fault), AllocationPolicy.PACK);
  }

  private static PodRequest pod(ClaimRequest... claims) {
    return new PodRequest(ImmutableList.copyOf(claims));
  }

  private void twoNodes() {
    ledgers.observe(inventory(EVIL, 1));
    ledgers.observe(inventory(GOOD, 1));
  }

  private static UnsuitableReason reason(ImmutableMap<String, Placement.DoesNotFit> refusals) {
    assertThat(refusals.keySet()).containsExactly(EVIL);
    return refusals.values().iterator().next().reasons().values().iterator().next();
  }

  @ParameterizedTest
  @EnumSource
  void aNodeThatCannotBeJudgedIsNotSuitable(Fault fault) {
    twoNodes();

    UnsuitableReason reason =
        reason(
            ledgers.refusals(
                ImmutableSet.of(EVIL, GOOD), pod(claim("c", fault)), new SearchBudget()));

    assertThat(reason.kind().label()).isEqualTo("notJudged");
    assertThat(reason.kind().lasting()).isFalse();
  }

  @Test
  void theReasonNamesTheFaultAndItsPlace() {
    twoNodes();
    PodRequest pod = pod(claim("c", Fault.EXCEPTION));

    assertThat(
            reason(ledgers.refusals(ImmutableSet.of(EVIL), pod, new SearchBudget()))
                .text(new NamespaceAudience("team-a")))
        .matches(
            "node cannot be evaluated: java.lang.ArithmeticException: long overflow at"
                + " OneNodesFaultTest.java:\\d+");
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsCommittedOnIt(Fault fault) {
    twoNodes();

    CommitResult commitResult = ledgers.commit(EVIL, pod(claim("c", fault)), OWNER, STAMP);

    assertThat(reason(((CommitResult.Refused) commitResult).reasons()).kind().label())
        .isEqualTo("notJudged");
  }

  @ParameterizedTest
  @EnumSource
  void anImmediateClaimGetsAnotherNode(Fault fault) {
    twoNodes();

    assertThat(ledgers.commitBest(pod(claim("c", fault)), OWNER, STAMP))
        .isInstanceOfSatisfying(
            CommitResult.Committed.class, done -> assertThat(done.node()).isEqualTo(GOOD));
  }

  @ParameterizedTest
  @EnumSource
  void aBatchGetsAnotherNode(Fault fault) {
    ledgers.observe(inventory(EVIL, 2));
    ledgers.observe(inventory(GOOD, 2));
    ClaimRequest any = Samples.wants("other", 1);

    assertThat(ledgers.commitBest(pod(claim("c", fault), any), OWNER, STAMP))
        .isInstanceOfSatisfying(
            CommitResult.Committed.class, done -> assertThat(done.node()).isEqualTo(GOOD));
  }

  @ParameterizedTest
  @EnumSource
  void itHasNothingThatCouldBeCounted(Fault fault) {
    twoNodes();

    assertThat(AvailableCount.of(ledgers.ledger(EVIL), claim("c", fault))).isZero();
    assertThat(AvailableCount.of(ledgers.ledger(GOOD), claim("c", fault))).isOne();
  }

  @Test
  void whoHasNoMemoryLeftDoesNotGoOn() {
    assertThatThrownBy(
            () ->
                FaultIsolation.evaluate(
                    () -> {
                      throw new OutOfMemoryError();
                    }))
        .isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(
            () ->
                FaultIsolation.evaluate(
                    () -> {
                      throw new ExecutionError(new OutOfMemoryError());
                    }))
        .isInstanceOf(ExecutionError.class);
  }
}
