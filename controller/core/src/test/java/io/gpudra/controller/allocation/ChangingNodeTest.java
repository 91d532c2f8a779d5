package io.gpudra.controller.allocation;

import static io.gpudra.controller.allocation.Samples.OWNER;
import static io.gpudra.controller.allocation.Samples.SOMEBODY_ELSE;
import static io.gpudra.controller.allocation.Samples.STAMP;
import static io.gpudra.controller.allocation.Samples.inventory;
import static io.gpudra.controller.allocation.Samples.pod;
import static io.gpudra.controller.allocation.Samples.reason;
import static io.gpudra.controller.allocation.Samples.request;
import static io.gpudra.controller.allocation.Samples.wants;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DevicePredicate;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Inventory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

/** A node that is another one after each search. */
class ChangingNodeTest {
  private static final int MANY = 1_000;
  private static final int COMMITS = 20;

  private final Ledgers ledgers = new Ledgers();
  private final AtomicInteger searches = new AtomicInteger();

  /** Every GPU will do; something happens to the first node while it is searched. */
  private record Meanwhile(AtomicInteger searches, IntConsumer happens) implements DevicePredicate {

    @Override
    public boolean tellsPlacesApart() {
      return false;
    }

    @Override
    public boolean tellsNodesApart() {
      return false;
    }

    @Override
    public long matching(Inventory inventory) {
      if (inventory.node().name().equals("n0")) {
        if (searches.incrementAndGet() > MANY) {
          throw new AssertionError("searched for ever");
        }
        happens.accept(searches.get());
      }
      return new Samples.Mask(Samples.EVERY, "").matching(inventory);
    }

    @Override
    public long matching(Inventory inventory, Part.Slice slice) {
      return matching(inventory);
    }

    @Override
    public String text() {
      return "";
    }
  }

  private ClaimRequest wantsWhile(IntConsumer happens) {
    return request("a", 1, new Meanwhile(searches, happens), AllocationPolicy.PACK);
  }

  private void reports(int number) {
    Inventory any = inventory("n0", 2);
    ledgers.observe(
        new Inventory(
            any.node(),
            "535." + number,
            any.cudaDriverVersion(),
            any.gpus(),
            any.prepared(),
            any.service()));
  }

  private void isCommittedByOthers(int number) {
    if (number <= COMMITS) {
      ledgers.commit("n0", pod(wants("other" + number, 1)), SOMEBODY_ELSE, STAMP);
    }
  }

  @Test
  void aNodeThatReportsWheneverItIsSearchedIsRefused() {
    reports(0);

    CommitResult commitResult =
        ledgers.commit("n0", pod(wantsWhile(this::reports)), OWNER, STAMP);

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
}
