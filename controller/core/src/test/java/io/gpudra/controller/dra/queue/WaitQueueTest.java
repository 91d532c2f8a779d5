package io.gpudra.controller.dra.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class WaitQueueTest {
  /** A clock that wraps while they wait. */
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000_000_000);

  private final List<String> woken = new ArrayList<>();
  private final WaitQueue waitQueue =
      new WaitQueue(now::get, () -> 0L, (work, delay) -> woken.add(work.key().name()));

  /** The older, the smaller the number. */
  private static Waiter waiter(int age) {
    WorkKey work = WorkKey.context(new ObjectKey("ns", "w" + age));
    return new Waiter(new WaitRank(0, Some.EPOCH.plusSeconds(age)), "uid", work);
  }

  private Duration refused(int age, String... nodes) {
    return waitQueue.enter(waiter(age)).refused(ImmutableSet.copyOf(nodes));
  }

  private List<String> takeWoken() {
    List<String> names = List.copyOf(woken);
    woken.clear();
    return names;
  }

  @Test
  void theOldestOfTheNodeAreWokenTwiceAsManyAsDevicesInBothModes() {
    for (int age : new int[] {5, 3, 1, 4}) {
      refused(age, "a");
    }
    refused(0, "b");
    waitQueue.enter(waiter(2), "any").refusedAnywhere(/* alike= */ false);
    waitQueue.freed("a", 1);
    assertThat(takeWoken()).containsExactly("w1", "w2");
  }

  @Test
  void theNextAreWokenWhenAllHaveAnsweredAndDevicesAreLeft() {
    for (int age = 0; age < 6; age++) {
      refused(age, "a");
    }
    waitQueue.freed("a", 1);
    assertThat(takeWoken()).containsExactly("w0", "w1");
    refused(0, "a");
    assertThat(takeWoken()).isEmpty();
    refused(1, "a");
    assertThat(takeWoken()).containsExactly("w2", "w3");
    waitQueue.remove(waiter(2).work(), ImmutableMultiset.of("a"));
    refused(3, "a");
    assertThat(takeWoken()).as("the device is taken").isEmpty();
  }

  private Duration waitsFor(int age, String request) {
    return waitQueue.enter(waiter(age), request).refusedAnywhere(/* alike= */ true);
  }

  @Test
  void whoAsksForTheSameAsOneWhoWasRefusedIsNotAsked() {
    for (int age = 0; age < 1_000; age++) {
      waitsFor(age, ("request " + age % 100).intern());
    }
    waitQueue.freed("a", 1);
    Set<String> asked = new HashSet<>();
    for (List<String> woken = takeWoken(); !woken.isEmpty(); woken = takeWoken()) {
      asked.addAll(woken);
      woken.forEach(name -> waitsFor(age(name), ("request " + age(name) % 100).intern()));
    }

    assertThat(asked).as("one of each request").hasSize(100).contains("w0", "w99");
  }

  private static int age(String name) {
    return Integer.parseInt(name.substring(1));
  }

  @Test
  void whoWasJudgedBeforeADeviceBecameFreeLooksAgainAndAnswersForNobody() {
    waitsFor(0, "one");
    waitsFor(1, "other");
    waitsFor(2, "one");
    Turn before = waitQueue.enter(waiter(0), "one");
    waitQueue.freed("a", 1);
    takeWoken();
    before.refusedAnywhere(/* alike= */ true);
    assertThat(takeWoken()).containsExactly("w0");
    assertThat(nodes(0, "one")).as("it is still on offer to it").contains("a");
    waitsFor(1, "other");
    assertThat(takeWoken()).isEmpty();
    waitQueue.remove(waiter(0).work());

    assertThat(takeWoken()).containsExactly("w2");
  }

  /** Where a waiter is evaluated that is not due. */
  private ImmutableSet<String> nodes(int age, String request) {
    return ((AnyOf) waitQueue.enter(waiter(age), request).where()).nodes();
  }

  private boolean everywhere(int age, String request) {
    return waitQueue.enter(waiter(age), request).everywhere();
  }

  @Test
  void anOfferStandsForFifteenSecondsAndThenGoesToTheNext() {
    for (int age = 0; age < 4; age++) {
      refused(age, "a");
    }
    waitQueue.freed("a", 1);
    refused(1, "a");
    refused(0);
    assertThat(takeWoken()).containsExactly("w0", "w1");
    now.addAndGet(Duration.ofSeconds(15).toNanos());
    refused(0);
    assertThat(takeWoken()).containsExactly("w2", "w3");
  }

  @Test
  void whoIsGoneHasAnswered() {
    refused(0, "a");
    refused(1, "a");
    refused(2, "a");
    waitQueue.freed("a", 1);
    refused(1, "a");
    waitQueue.remove(waiter(0).work());
    assertThat(takeWoken()).containsExactly("w0", "w1", "w2");
  }

  @Test
  void moreFreedDevicesStartWithTheOldestAgain() {
    refused(0, "a");
    refused(1, "a");
    waitQueue.freed("a", 1);
    refused(0, "a");
    refused(1, "a");
    takeWoken();
    waitQueue.freed("a", 3);
    assertThat(takeWoken()).containsExactly("w0", "w1");
  }

  @Test
  void whatIsFreedWhileNodesAreJudgedWakesAtOnce() {
    Turn before = waitQueue.enter(waiter(0));
    waitQueue.freed("a", 1);
    before.refused(ImmutableSet.of("b"));
    assertThat(takeWoken()).isEmpty();
    before.refused(ImmutableSet.of("a"));
    assertThat(takeWoken()).containsExactly("w0");
  }

  /** So many that it is not known any more when those of nodes before became free. */
  private void devicesBecomeFreeOnManyNodes() {
    devicesBecomeFreeOnOthers(DeviceOffers.NODES_REMEMBERED);
  }

  private void devicesBecomeFreeOnOthers(int nodes) {
    for (int node = 0; node < nodes; node++) {
      waitQueue.freed("other-" + node, 1);
    }
  }

  @Test
  void whoTookLongerToBeJudgedThanIsRememberedIsJudgedAgain() {
    Turn before = waitQueue.enter(waiter(1));
    waitQueue.freed("a", 1);
    devicesBecomeFreeOnManyNodes();
    refused(0, "c");
    assertThat(takeWoken()).isEmpty();
    before.refused(ImmutableSet.of("c"));
    assertThat(takeWoken()).containsExactly("w1");
  }

  @Test
  void whoWasRefusedEverywhereIsJudgedOnlyWhereSomethingBecameFreeSince() {
    assertThat(everywhere(0, "one")).as("new").isTrue();
    waitQueue.freed("before", 1);
    waitsFor(0, "one");
    assertThat(nodes(0, "one")).isEmpty();
    waitQueue.freed("a", 1);
    waitQueue.freed("b", 1);
    assertThat(nodes(0, "one")).containsExactlyInAnyOrder("a", "b");
    assertThat(everywhere(0, "other")).as("asks for something else").isTrue();
    waitsFor(0, "one");
    assertThat(nodes(0, "one")).isEmpty();
  }

  @Test
  void whoIsDueIsJudgedEverywhere() {
    waitsFor(0, "one");
    now.addAndGet(Duration.ofSeconds(27).toNanos());

    assertThat(everywhere(0, "one")).isTrue();
  }

  @Test
  void whoIsNotAskedLeavesAloneWhatIsOnOfferToOthersDueOrNot() {
    for (int age = 0; age < 5; age++) {
      waitsFor(age, "request " + age);
    }
    waitQueue.freed("a", 1);
    assertThat(takeWoken()).containsExactly("w0", "w1");
    assertThat(nodes(1, "request 1")).containsExactly("a");
    assertThat(nodes(4, "request 4")).isEmpty();
    now.addAndGet(Duration.ofSeconds(27).toNanos());
    waitQueue.freed("a", 1);
    Turn due = waitQueue.enter(waiter(4), "request 4");
    assertThat(((AnyNode) due.where()).but().get()).containsExactly("a");
    due.refusedAnywhere(/* alike= */ true);
    waitsFor(0, "request 0");
    waitsFor(1, "request 1");
    waitsFor(2, "request 2");
    waitsFor(3, "request 3");
    assertThat(takeWoken()).as("what it left alone it did not refuse").contains("w4");
    assertThat(nodes(4, "request 4")).containsExactly("a");
  }

  @Test
  void whatBecameFreeIsRememberedUntilThePollHoweverLate() {
    many(10_000);
    waitsFor(0, "one");
    waitQueue.freed("a", 1);
    now.addAndGet(Duration.ofSeconds(800).toNanos());
    waitQueue.freed("b", 1);
    waitQueue.remove(waiter(1).work(), ImmutableMultiset.of("a", "b"));
    assertThat(nodes(0, "one")).containsExactlyInAnyOrder("a", "b");
    devicesBecomeFreeOnOthers(DeviceOffers.NODES_REMEMBERED - 2);
    assertThat(nodes(0, "one")).contains("a", "b");
    devicesBecomeFreeOnManyNodes();
    assertThat(everywhere(0, "one")).as("a and b are forgotten").isTrue();
  }

  /** Of the namespace; any node will do for each. */
  private void many(int waiting) {
    for (int age = 1; age <= waiting; age++) {
      waitsFor(age, "one");
    }
  }

  @Test
  void aNamespaceLooksAtAllNodesTenTimesASecondAndAllTogetherFiftyTimesHoweverManyWait() {
    many(10_000);
    WorkKey elsewhere = WorkKey.context(new ObjectKey("other", "w"));
    Waiter other = new Waiter(new WaitRank(0, Some.EPOCH), "uid", elsewhere);

    assertThat(waitsFor(20_000, "one"))
        .as("0.9 of a tenth of a second for each")
        .isGreaterThan(Duration.ofSeconds(890));
    assertThat(waitQueue.enter(other, "one").refusedAnywhere(/* alike= */ true))
        .as("eighteen thousandths of a second for each")
        .isBetween(Duration.ofSeconds(180), Duration.ofSeconds(181));
    assertThat(refused(30_000, "a")).as("looks at few nodes").isEqualTo(Duration.ofSeconds(27));
    IntStream.rangeClosed(1, 10_000).forEach(age -> waitQueue.remove(waiter(age).work()));
    assertThat(waitsFor(1, "one")).isEqualTo(Duration.ofSeconds(27));
  }

  @Test
  void thePollKeepsItsTimeWhateverHappensInBetween() {
    assertThat(refused(0, "a")).isEqualTo(Duration.ofSeconds(27));
    now.addAndGet(Duration.ofSeconds(20).toNanos());
    assertThat(refused(0, "a")).isEqualTo(Duration.ofSeconds(7));
    now.addAndGet(Duration.ofSeconds(7).toNanos());
    assertThat(refused(0, "a")).isEqualTo(Duration.ofSeconds(27));
  }

  @Test
  void goodNewsIsForTheNewTheWokenAndTheDue() {
    assertThat(mayHear(0, "a")).as("new").isTrue();
    refused(0, "a");
    assertThat(mayHear(0, "a")).isFalse();
    waitQueue.freed("a", 1);
    assertThat(mayHear(0, "a")).as("woken").isTrue();
    refused(0, "a");
    assertThat(mayHear(0, "a")).isFalse();
    now.addAndGet(Duration.ofSeconds(27).toNanos());
    assertThat(mayHear(0, "a")).as("due").isTrue();
  }

  private boolean mayHear(int age, String... nodes) {
    Turn turn = waitQueue.enter(waiter(age));
    return turn.publishHistory(ImmutableSet.copyOf(nodes)).mayPublishSuitable();
  }

  @Test
  void whoIsDueLeavesAloneWhatIsOnOfferToOlderOnesWhileTheyMayStillCome() {
    for (int age = 0; age < 5; age++) {
      refused(age, "a", "b");
    }
    now.addAndGet(Duration.ofSeconds(27).toNanos());
    waitQueue.freed("a", 1);
    assertThat(takeWoken()).containsExactly("w0", "w1");
    assertThat(mayHear(4, "a")).isFalse();
    assertThat(mayHear(4, "a", "b")).as("b is on offer to nobody").isTrue();
    assertThat(mayHear(4)).as("no good news at all").isTrue();
    now.addAndGet(Duration.ofSeconds(15).toNanos());
    refused(0, "b");
    assertThat(mayHear(4, "a")).as("the oldest did not come").isTrue();
    waitQueue.freed("a", 1);
    assertThat(mayHear(4, "a")).as("another device is theirs first").isFalse();
  }

  @Test
  void whoWasOfferedANodeIsLookedAtAgainWhenTheOfferEnds() {
    refused(0, "a");
    waitQueue.freed("a", 1);
    now.addAndGet(Duration.ofSeconds(5).toNanos());
    assertThat(refused(0)).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void whatIsTakenOfOneNodeLeavesTheOfferOfAnother() {
    for (int age = 0; age < 6; age++) {
      refused(age, "a", "b", "c");
    }
    ImmutableList.of("a", "b", "c").forEach(node -> waitQueue.freed(node, 1));
    assertThat(takeWoken()).containsOnly("w0", "w1");
    waitQueue.remove(waiter(0).work(), ImmutableMultiset.of("a"));
    waitQueue.remove(waiter(1).work(), ImmutableMultiset.of("b"));
    assertThat(takeWoken()).containsOnly("w2", "w3");
    assertThat(mayHear(2, "c")).isTrue();
    waitQueue.remove(waiter(2).work(), ImmutableMultiset.of("c"));
    refused(3, "a", "b", "c");
    assertThat(takeWoken()).as("all three are taken").isEmpty();
  }

  @Test
  void aDeviceThatNobodyTakesIsOfferedToTheSameNumberHoweverManyWait() {
    for (int age = 0; age < 10_000; age++) {
      refused(age, "a");
    }
    waitQueue.freed("a", 1);
    assertThat(allRefuse("a")).isEqualTo(names(0, 32));
    waitQueue.freed("a", 2);
    assertThat(allRefuse("a"))
        .as("the oldest, then those after the ones that were asked in vain")
        .isEqualTo(names(0, 16, 32, 80));
    now.addAndGet(Duration.ofSeconds(30).toNanos());
    waitQueue.freed("b", 1);
    waitQueue.freed("a", 1);
    assertThat(allRefuse("a")).as("long ago").isEqualTo(names(0, 32));
  }

  /** Half-open ranges. */
  private static List<String> names(int... bounds) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < bounds.length; i += 2) {
      IntStream.range(bounds[i], bounds[i + 1]).forEach(age -> names.add("w" + age));
    }
    return names;
  }

  /** Those who were offered something, in their order; each refuses at once. */
  private List<String> allRefuse(String node) {
    List<String> all = new ArrayList<>();
    for (List<String> asked = takeWoken(); !asked.isEmpty(); asked = takeWoken()) {
      all.addAll(asked);
      asked.forEach(name -> refused(Integer.parseInt(name.substring(1)), node));
    }
    return all;
  }

  @Test
  void whoHasAnsweredAndGoneLeavesNothingBehind() {
    for (int age = 0; age < 100; age++) {
      refused(age, "a");
      waitQueue.enter(waiter(age)).published();
    }
    assertThat(waitQueue.waiting()).isEqualTo(100);
    assertThat(waitQueue.publishedCount()).isEqualTo(100);
    waitQueue.freed("a", 4);
    assertThat(waitQueue.offers()).isEqualTo(8);
    for (int age = 0; age < 100; age++) {
      waitQueue.remove(waiter(age).work());
    }
    assertThat(waitQueue.waiting()).isZero();
    assertThat(waitQueue.publishedCount()).isZero();
    assertThat(waitQueue.offers()).isZero();
  }
}
