package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.reason;
import static io.gpudra.controller.allocation.Samples.request;
import static io.gpudra.controller.allocation.Samples.uid;
import static io.gpudra.controller.allocation.Samples.wants;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.testing.FixedPredicate;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.testing.NodeFixture;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Claims of several pods on several nodes. */
class CommitAllTest {
  private static final int SEARCHES = 8;

  private final Ledgers ledgers = new TwoNodes().ledgers;
  private final AtomicInteger searches = new AtomicInteger();

  /** A claim gets a device of the first node, or leaves it, during the first searches. */
  private record Meanwhile(Ledgers ledgers, AtomicInteger searches, int changes)
      implements FixedPredicate {

    @Override
    public long matching(Inventory inventory) {
      int number = searches.incrementAndGet();
      if (number <= changes) {
        ledgers.observe(
            Samples.ref("other"),
            uid("other"),
            Optional.of(Samples.grant("other", "n0", 1)).filter(unused -> number % 2 == 1));
      }
      return FixedPredicate.all(inventory);
    }
  }

  private CommitResult commit(ClaimRequest onFirst, ClaimRequest onSecond) {
    return ledgers.commitAll(
        ImmutableMap.of("n0", pod(onFirst), "n1", pod(onSecond)), OWNER, STAMP);
  }

  private ClaimRequest wantsWhile(String claim, int changes) {
    return request(claim, 1, new Meanwhile(ledgers, searches, changes), AllocationPolicy.PACK);
  }

  @Test
  void devicesOfAllNodesAreHeldTogether() {
    CommitResult.AllCommitted done =
        (CommitResult.AllCommitted) commit(wants("a", 2), wants("b", 1));

    assertThat(done.grants().values()).extracting(Grant::node).containsExactly("n0", "n1");
    assertThat(ledgers.ledger("n0").holds()).containsOnlyKeys(uid("a"));
    assertThat(ledgers.ledger("n1").holds()).containsOnlyKeys(uid("b"));
  }

  @Test
  void ifOneNodeRefusesNothingIsHeld() {
    Samples.hold(ledgers, "holder", "n1", 0);
    CommitResult refused = commit(wants("a", 1), wants("b", 2));

    assertThat(((CommitResult.Refused) refused).reasons()).containsOnlyKeys("n1");
    assertThat(reason(refused, "n1", "b").kind().label()).isEqualTo("tooFewFree");
    assertThat(ledgers.ledger("n0").holds()).isEmpty();
  }

  @Test
  void committingAgainChangesNothing() {
    CommitResult first = commit(wants("a", 2), wants("b", 1));

    assertThat(commit(wants("a", 2), wants("b", 1))).isEqualTo(first);
  }

  @Test
  void aClaimThatIsHeldElsewhereRefuses() {
    Samples.hold(ledgers, "a", "n1", 0);
    CommitResult refused = commit(wants("a", 1), wants("b", 1));

    assertThat(reason(refused, "n0", "a").kind().label()).isEqualTo("held");
    assertThat(ledgers.ledger("n1").holds()).containsOnlyKeys(uid("a"));
  }

  @Test
  void whatChangedDuringTheSearchIsSearchedAgain() {
    assertThat(commit(wantsWhile("a", SEARCHES - 1), wants("b", 1)))
        .isInstanceOf(CommitResult.AllCommitted.class);
    assertThat(ledgers.ledger("n0").holds()).containsKey(uid("a"));
  }

  @Test
  void whatAlwaysChangesDuringTheSearchIsGivenUp() {
    assertThat(commit(wantsWhile("a", Integer.MAX_VALUE), wants("b", 1)))
        .isEqualTo(new CommitResult.Changed());
    assertThat(searches).hasValueBetween(SEARCHES, 2 * SEARCHES);
    assertThat(ledgers.ledger("n1").holds()).isEmpty();
  }

  @Test
  void aNodeThatReportsSomethingElseDuringEachSearchIsPassedOver() {
    FixedPredicate reporting =
        inventory -> {
          String driver = "535." + searches.incrementAndGet();
          ledgers.observe(NodeFixture.like(inventory("n0", 2)).driver(driver, "12.2").inventory());
          return FixedPredicate.all(inventory);
        };
    CommitResult refused = commit(request("a", 1, reporting, AllocationPolicy.PACK), wants("b", 1));

    assertThat(((CommitResult.Refused) refused).reasons()).containsOnlyKeys("n0");
    assertThat(reason(refused, "n0", "a").kind().label()).isEqualTo("notJudged");
    assertThat(searches).hasValue(SearchRetries.MAX_CHANGES);
    assertThat(ledgers.ledger("n1").holds()).isEmpty();
  }

  @Test
  void aNodeThatDidNotChangeIsNotSearchedAgain() {
    assertThat(commit(wants("a", 1), wantsWhile("b", Integer.MAX_VALUE)))
        .isInstanceOf(CommitResult.AllCommitted.class);
    assertThat(searches).hasValueLessThan(SEARCHES);
  }

  @Test
  void aClaimThatIsHeldElsewhereMeanwhileIsNotHeldTwice() {
    FixedPredicate holding =
        inventory -> {
          Samples.hold(ledgers, "a", "n2", 0);
          return FixedPredicate.all(inventory);
        };
    CommitResult refused = commit(wants("a", 1), request("b", 1, holding, AllocationPolicy.PACK));

    assertThat(reason(refused, "n0", "a").kind().label()).isEqualTo("held");
    assertThat(ledgers.ledger("n0").holds()).isEmpty();
  }

  @Test
  void aSearchThatFailsHoldsNothing() {
    FixedPredicate broken =
        inventory -> {
          throw new IllegalStateException("broken");
        };
    CommitResult refused = commit(wants("a", 1), request("b", 1, broken, AllocationPolicy.PACK));

    assertThat(reason(refused, "n1", "b").kind().label()).isEqualTo("notJudged");
    assertThat(ledgers.heldClaims()).isZero();
  }
}
