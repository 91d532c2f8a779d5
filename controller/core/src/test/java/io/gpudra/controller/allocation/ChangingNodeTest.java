package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.SOMEBODY_ELSE;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.reason;
import static io.gpudra.controller.allocation.Samples.request;
import static io.gpudra.controller.allocation.Samples.uid;
import static io.gpudra.controller.allocation.Samples.wants;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.testing.FixedPredicate;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.testing.NodeFixture;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

/** A node that is another one after each search. */
class ChangingNodeTest {
  private static final int MANY = 1_000;
  private static final int COMMITS = 20;

  private final AtomicLong nanos = new AtomicLong();
  private final Ledgers ledgers = new Ledgers(CommitGuard.NONE, nanos::get);
  private final AtomicInteger searches = new AtomicInteger();

  /** Every GPU will do; something happens to the first node while it is searched. */
  private record Meanwhile(AtomicInteger searches, IntConsumer happens) implements FixedPredicate {

    @Override
    public long matching(Inventory inventory) {
      if (inventory.node().name().equals("n0")) {
        if (searches.incrementAndGet() > MANY) {
          throw new AssertionError("searched for ever");
        }
        happens.accept(searches.get());
      }
      return FixedPredicate.all(inventory);
    }
  }

  private ClaimRequest wantsWhile(IntConsumer happens) {
    return request("a", 1, new Meanwhile(searches, happens), AllocationPolicy.PACK);
  }

  private void reports(int number) {
    ledgers.observe(
        NodeFixture.like(inventory("n0", 2)).driver("535." + number, "12.2").inventory());
  }

  private void isCommittedByOthers(int number) {
    if (number <= COMMITS) {
      ledgers.commit("n0", pod(wants("other" + number, 1)), SOMEBODY_ELSE, STAMP);
    }
  }

  /** Another claim takes a device during one search, and gives it back during the next one. */
  private void isTakenInTurn(int number, Duration search) {
    nanos.addAndGet(search.toNanos());
    if (number % 2 == 1) {
      ledgers.commit("n0", pod(wants("other", 1)), SOMEBODY_ELSE, STAMP);
    } else {
      ledgers.release(uid("other"), SOMEBODY_ELSE);
    }
  }

  private CommitResult commitWhileTakenInTurn(Duration search) {
    ledgers.observe(inventory("n0", 2));
    return ledgers.commit(
        "n0", pod(wantsWhile(number -> isTakenInTurn(number, search))), OWNER, STAMP);
  }

  @Test
  void aNodeThatReportsWheneverItIsSearchedIsRefused() {
    reports(0);

    CommitResult commitResult = ledgers.commit("n0", pod(wantsWhile(this::reports)), OWNER, STAMP);

    assertThat(reason(commitResult, "n0", "a").kind().label()).isEqualTo("notJudged");
  }

  @Test
  void aNodeThatReportsWheneverItIsSearchedIsPassedOver() {
    reports(0);
    ledgers.observe(inventory("n1", 2));

    assertThat(ledgers.commitBest(pod(wantsWhile(this::reports)), OWNER, STAMP))
        .isInstanceOfSatisfying(
            CommitResult.Committed.class, done -> assertThat(done.node()).isEqualTo("n1"));
  }

  @Test
  void commitsOfOthersAreWaitedForHoweverManyThereAre() {
    ledgers.observe(inventory("n0", COMMITS + 1));

    assertThat(ledgers.commit("n0", pod(wantsWhile(this::isCommittedByOthers)), OWNER, STAMP))
        .isInstanceOf(CommitResult.Committed.class);
  }

  @Test
  void commitsOfOthersOnTheBestNodeAreWaitedForHoweverManyThereAre() {
    ledgers.observe(inventory("n0", COMMITS + 1));

    assertThat(ledgers.commitBest(pod(wantsWhile(this::isCommittedByOthers)), OWNER, STAMP))
        .isInstanceOf(CommitResult.Committed.class);
  }

  @Test
  void aSearchThatOthersCommitAgainstEndsAfterFiveSeconds() {
    assertThat(commitWhileTakenInTurn(Duration.ofMillis(100)))
        .isEqualTo(new CommitResult.Changed());
    assertThat(searches).hasValue(50);
    assertThat(ledgers.ledger("n0").holds()).doesNotContainKey(uid("a"));
  }

  @Test
  void aSearchOfAllNodesThatOthersCommitAgainstEndsAfterFiveSeconds() {
    ledgers.observe(inventory("n0", 3));
    ClaimRequest claim = wantsWhile(number -> isTakenInTurn(number, Duration.ofMillis(100)));

    assertThat(ledgers.commitBest(pod(claim, wants("b", 1)), OWNER, STAMP))
        .isEqualTo(new CommitResult.Changed());
  }

  @Test
  void aLongSearchThatOthersCommitAgainstLosesThirtyTwoTimesFirst() {
    assertThat(commitWhileTakenInTurn(Duration.ofMillis(500)))
        .isEqualTo(new CommitResult.Changed());
    assertThat(searches).hasValue(32);
  }

  @Test
  void aLongSearchThatOthersCommitAgainstEndsAfterTwentySeconds() {
    assertThat(commitWhileTakenInTurn(Duration.ofSeconds(2))).isEqualTo(new CommitResult.Changed());
    assertThat(searches).hasValue(10);
  }
}
