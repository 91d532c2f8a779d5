package io.gpudra.controller.dra.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.NodeChoice.AnyNode;
import io.gpudra.controller.dra.NodeChoice.AnyOf;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Freed devices go to a higher priority first, then to who waits longer. */
final class PriorityOrderTest {
  private static final Duration OFFER = Duration.ofSeconds(15);

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000_000_000);
  private final List<String> woken = new ArrayList<>();
  private final WaitQueue waitQueue =
      new WaitQueue(now::get, () -> 0L, (work, delay) -> woken.add(work.key().name()));

  private final Waiter high = waiter("high", 10, 9);
  private final Waiter other = waiter("other", 10, 10);
  private final Waiter middle = waiter("middle", 5, 5);
  private final Waiter low = waiter("low", 0, 1);
  private final Waiter lower = waiter("lower", -1, 0);

  private static Waiter waiter(String name, int priority, int age) {
    return waiter(name, new WaitRank(priority, Some.EPOCH.plusSeconds(age)));
  }

  private static Waiter waiter(String name, WaitRank rank) {
    return new Waiter(rank, name, WorkKey.context(new ObjectKey("ns", name)));
  }

  /** Waits for a node. */
  private void waits(Waiter waiter, String... nodes) {
    waitQueue.enter(waiter).refused(ImmutableSet.copyOf(nodes));
  }

  /** Waits for any node; each asks for something of its own. */
  private void waitsAnywhere(Waiter waiter) {
    anywhere(waiter).refusedAnywhere(/* alike= */ true);
  }

  private Turn anywhere(Waiter waiter) {
    return waitQueue.enter(waiter, waiter.uid());
  }

  private void takes(Waiter waiter, String node) {
    waitQueue.remove(waiter.work(), ImmutableMultiset.of(node));
  }

  private ImmutableSet<String> leftAlone(Waiter waiter) {
    return ((AnyNode) anywhere(waiter).where()).but().get();
  }

  private ImmutableSet<String> evaluated(Waiter waiter) {
    return ((AnyOf) anywhere(waiter).where()).nodes();
  }

  private List<String> takeWoken() {
    List<String> names = List.copyOf(woken);
    woken.clear();
    return names;
  }

  @Test
  void oneAfterTheOtherIsAskedByPriorityThenByAge() {
    Waiter first = waiter("first", new WaitRank(Integer.MAX_VALUE, Instant.MAX));
    Waiter last = waiter("last", new WaitRank(Integer.MIN_VALUE, Instant.MIN));
    List<Waiter> all = new ArrayList<>(List.of(last, lower, low, middle, other, high, first));
    Collections.shuffle(all, new Random(1));
    all.forEach(waiter -> waits(waiter, "a"));
    waitQueue.freed("a", 4);

    List<String> asked = new ArrayList<>();
    for (List<String> next = takeWoken(); !next.isEmpty(); next = takeWoken()) {
      asked.addAll(next);
      next.forEach(name -> waits(named(all, name), "a"));
    }
    assertThat(asked).containsExactly("first", "high", "other", "middle", "low", "lower", "last");
  }

  private static Waiter named(List<Waiter> all, String name) {
    return all.stream().filter(one -> one.uid().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void aLowerPriorityIsAskedWhenTheHigherOneHasAnswered() {
    Stream.of(low, high, other).forEach(waiter -> waits(waiter, "a"));
    waitQueue.freed("a", 2);
    assertThat(takeWoken()).containsExactly("high", "other");
    waits(high, "a");
    assertThat(takeWoken()).isEmpty();
    takes(other, "a");

    assertThat(takeWoken()).containsExactly("low");
  }

  @Test
  void whoGaveWayIsAskedBeforeThoseThatWereNotAskedYet() {
    Stream.of(high, low, waiter("next", 0, 3)).forEach(waiter -> waits(waiter, "a"));
    waitQueue.freed("a", 1);
    assertThat(takeWoken()).containsExactly("high");
    waits(high, "a");
    assertThat(takeWoken()).containsExactly("low");
    waits(low, "a");

    assertThat(takeWoken()).containsExactly("next");
  }

  @Test
  void aLowerPriorityThatHasNotAnsweredYetKeepsNoHigherOneFromBeingAsked() {
    waits(low, "a");
    waitQueue.freed("a", 1);
    Stream.of(high, other, middle).forEach(waiter -> waits(waiter, "a"));
    waitQueue.freed("a", 1);
    assertThat(takeWoken()).containsExactly("low", "high", "other");
    waits(high, "a");
    assertThat(takeWoken()).isEmpty();
    waits(other, "a");

    assertThat(takeWoken()).containsExactly("middle");
  }

  @Test
  void whoHasTheNameOfOneThatWaitedHasNoRankYet() {
    waits(high, "a");

    assertThat(waitQueue.rank(high.work(), "high")).hasValue(high.rank());
    assertThat(waitQueue.rank(high.work(), "successor")).isEmpty();
    assertThat(waitQueue.rank(low.work(), "low")).isEmpty();
  }

  @Test
  void whoIsNewLeavesAloneWhatIsOnOfferToAHigherPriorityOnly() {
    waits(middle, "a");
    waits(low, "b");
    waitQueue.freed("a", 1);
    waitQueue.freed("b", 1);

    assertThat(leftAlone(waiter("new", 0, 20))).as("priority 0").containsExactly("a");
    assertThat(leftAlone(waiter("new", 5, 20))).as("priority 5").isEmpty();
    assertThat(leftAlone(waiter("new", -1, 20))).as("priority -1").containsExactly("a", "b");
  }

  @Test
  void aSelectedNodeIsLeftToAHigherPriorityAndOfferedAfterIt() {
    waits(high, "a");
    waitQueue.freed("a", 1);
    assertThat(takeWoken()).containsExactly("high");
    assertThat(waitQueue.enter(low).leaving("b")).as("not on offer").isEmpty();
    assertThat(waitQueue.enter(other).leaving("a")).as("equal priority").isEmpty();
    waitQueue.enter(low).leaving("a").orElseThrow().refused(ImmutableSet.of("a"));
    assertThat(takeWoken()).isEmpty();
    waits(high, "a");

    assertThat(takeWoken()).containsExactly("low");
    assertThat(waitQueue.enter(low).leaving("a")).isEmpty();
  }

  @Test
  void whatTheNewLeftAloneIsOfferedToItAlsoWhenTheHigherPriorityTookADevice() {
    waitsAnywhere(high);
    waitQueue.freed("a", 1);
    waitsAnywhere(low);
    takeWoken();
    takes(high, "a");

    assertThat(takeWoken()).as("the node may have more than that one device").contains("low");
    assertThat(evaluated(low)).containsExactly("a");
  }

  @Test
  void whatIsOfferedToAHigherPriorityDuringAnEvaluationIsOfferedAfterIt() {
    waitsAnywhere(high);
    Turn turn = anywhere(low);
    waitQueue.freed("a", 1);
    turn.refusedAnywhere(/* alike= */ true);
    takeWoken();
    takes(high, "a");

    assertThat(takeWoken()).containsExactly("low");
    assertThat(evaluated(low)).containsExactly("a");
  }

  @Test
  void whoseHigherPriorityAnswersDuringTheEvaluationIsAskedAtOnce() {
    waitsAnywhere(high);
    waitQueue.freed("a", 1);
    Turn turn = anywhere(low);
    takes(high, "a");
    takeWoken();
    turn.refusedAnywhere(/* alike= */ true);

    assertThat(takeWoken()).containsExactly("low");
    assertThat(evaluated(low)).containsExactly("a");
  }

  @Test
  void whoIsNewComesBeforeTheLowerPrioritiesThatWereAskedWithTheHigherOne() {
    waits(high, "a");
    waits(low, "a");
    waitQueue.freed("a", 1);
    waitsAnywhere(middle);
    takeWoken();
    waits(high, "a");
    assertThat(takeWoken()).containsExactly("middle");
    waitsAnywhere(middle);

    assertThat(takeWoken()).containsExactly("low");
  }

  @Test
  void whoIsNewComesAfterThoseThatWaitForTheNodeWithAHigherPriority() {
    Stream.of(high, other, middle).forEach(waiter -> waits(waiter, "a"));
    waitQueue.freed("a", 1);
    waitsAnywhere(low);
    waits(high, "a");
    waits(other, "a");
    assertThat(takeWoken()).containsExactly("high", "other", "middle");
    waits(middle, "a");

    assertThat(takeWoken()).containsExactly("low");
  }

  @Test
  void whoWasAskedGivesWayToAHigherPriorityThatIsAskedAfterIt() {
    waits(low, "a");
    waitQueue.freed("a", 1);
    waits(high, "a");
    waitQueue.freed("a", 1);
    assertThat(takeWoken()).containsExactly("low", "high");
    waitQueue.enter(low).leaving("a").orElseThrow().refused(ImmutableSet.of("a"));
    assertThat(mayHear(low, "a")).isFalse();
    waits(high, "a");

    assertThat(takeWoken()).containsExactly("low");
    assertThat(mayHear(low, "a")).isTrue();
  }

  private boolean mayHear(Waiter waiter, String... nodes) {
    return waitQueue.enter(waiter).publishHistory(ImmutableSet.copyOf(nodes)).mayPublishSuitable();
  }

  @Test
  void whatIsOnOfferToALowerPriorityIsNotLeftToIt() {
    waitsAnywhere(low);
    waitsAnywhere(high);
    waitQueue.remove(high.work());
    Turn before = anywhere(high);
    waitQueue.freed("a", 1);
    assertThat(takeWoken()).containsExactly("low");
    before.refusedAnywhere(/* alike= */ true);

    assertThat(evaluated(high)).containsExactly("a");
  }

  @Test
  void whoLetAnOfferPassKeepsNothingFromLowerPrioritiesUntilItAnswers() {
    waits(high, "a");
    waits(low, "a");
    waitQueue.freed("a", 1);
    now.addAndGet(OFFER.toNanos());
    assertThat(waitQueue.enter(low).leaving("a")).as("the time is over").isEmpty();
    waits(high, "b");
    assertThat(takeWoken()).containsExactly("high", "low");
    waits(low, "a");
    waits(high, "a", "b");
    waitQueue.freed("a", 1);
    assertThat(takeWoken()).as("asked first all the same").containsExactly("high", "low");
    waits(high, "a", "b");
    waits(low, "a");
    waitQueue.freed("a", 1);

    assertThat(takeWoken()).as("it has answered").containsExactly("high");
  }

  @Test
  void noMoreGiveWayThanANodeWakesAtOnce() {
    waitsAnywhere(high);
    waitQueue.freed("a", 1);
    for (int i = 0; i < 2 * DeviceOffers.WAKES; i++) {
      waitsAnywhere(waiter("new-" + i, 0, i));
    }
    takeWoken();
    takes(high, "a");

    assertThat(takeWoken()).hasSize(DeviceOffers.WAKES);
  }

  @Test
  void whoGaveWayAndIsGoneLeavesNothingBehind() {
    waits(high, "a");
    waits(middle, "a");
    waitQueue.freed("a", 1);
    waitsAnywhere(low);
    assertThat(waitQueue.offers()).isEqualTo(3);
    Stream.of(low, middle, high).forEach(waiter -> waitQueue.remove(waiter.work()));

    assertThat(waitQueue.offers()).isZero();
    assertThat(takeWoken()).containsExactly("high");
  }

  @Test
  void aRefusalThatLeftANodeToAHigherPriorityCountsForNoEqualRequestThere() {
    waitsAnywhere(high);
    waitQueue.freed("a", 1);
    waitQueue.enter(low, "same").refusedAnywhere(/* alike= */ true);
    waitQueue.enter(lower, "same").refusedAnywhere(/* alike= */ true);
    takeWoken();
    waitsAnywhere(high);
    assertThat(takeWoken()).containsExactly("low");
    waitQueue.remove(low.work());

    assertThat(takeWoken()).containsExactly("lower");
  }
}
