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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Who is offered what became free, and who leaves it alone meanwhile. */
final class DeviceOffersTest {
  private static final Duration OFFER = Duration.ofSeconds(15);

  /** A quarter above the middle of what is random. */
  private static final long THREE_QUARTERS = Long.MIN_VALUE / 2;

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000_000_000);
  private final List<String> woken = new ArrayList<>();
  private final List<Duration> delays = new ArrayList<>();
  private final WaitQueue waitQueue = new WaitQueue(now::get, () -> THREE_QUARTERS, this::wake);

  private void wake(WorkKey work, Duration delay) {
    woken.add(work.key().name());
    delays.add(delay);
  }

  private static Waiter waiter(int age) {
    return new Waiter(new WaitRank(0, Some.EPOCH.plusSeconds(age)), "uid", work("w" + age));
  }

  private static WorkKey work(String name) {
    return WorkKey.context(new ObjectKey("ns", name));
  }

  private Duration refused(int age, String... nodes) {
    return waitQueue.enter(waiter(age)).refused(ImmutableSet.copyOf(nodes));
  }

  /** Devices of the nodes become free while it is evaluated. */
  private void missed(int age, String... nodes) {
    Turn turn = waitQueue.enter(waiter(age));
    for (String node : nodes) {
      waitQueue.freed(node, 1);
    }
    Duration unused = turn.refused(ImmutableSet.copyOf(nodes));
  }

  private void refusedAnywhere(int age, String request) {
    refusedAnywhere(age, request, /* alike= */ true);
  }

  private void refusedAnywhere(int age, String request, boolean alike) {
    waitQueue.enter(waiter(age), request).refusedAnywhere(alike);
  }

  /** Where a waiter is evaluated that is not due. */
  private ImmutableSet<String> nodes(int age, String request) {
    return ((AnyOf) waitQueue.enter(waiter(age), request).where()).nodes();
  }

  private ImmutableSet<String> reservedForOthers(int age) {
    return ((AnyNode) waitQueue.enter(waiter(age), "new").where()).but().get();
  }

  private List<String> takeWoken() {
    List<String> names = List.copyOf(woken);
    woken.clear();
    return names;
  }

  @Test
  void theNextPortionIsTwiceWhatIsLeft() {
    for (int age = 0; age < 12; age++) {
      refused(age, "a");
    }
    waitQueue.freed("a", 3);
    assertThat(takeWoken()).containsExactly("w0", "w1", "w2", "w3", "w4", "w5");
    waitQueue.remove(waiter(0).work(), ImmutableMultiset.of("a"));
    for (int age = 1; age < 6; age++) {
      refused(age, "a");
    }

    assertThat(takeWoken()).containsExactly("w6", "w7", "w8", "w9");
  }

  @Test
  void asManyRequestsAreAskedAsThereAreForEachDevice() {
    int requests = 3 * DeviceOffers.REQUESTS_PER_DEVICE;
    for (int age = 0; age < requests; age++) {
      refusedAnywhere(age, "request " + age);
    }
    waitQueue.freed("a", 2);
    int asked = 0;
    for (List<String> woken = takeWoken(); !woken.isEmpty(); woken = takeWoken()) {
      asked += woken.size();
      for (String name : woken) {
        refusedAnywhere(Integer.parseInt(name.substring(1)), "request " + name.substring(1));
      }
    }

    assertThat(asked).isEqualTo(2 * DeviceOffers.REQUESTS_PER_DEVICE);
    assertThat(waitQueue.offers()).isZero();
  }

  @Test
  void whatWasRefusedIsAskedAgainWhenMoreBecameFree() {
    refusedAnywhere(0, "one");
    refusedAnywhere(1, "two");
    waitQueue.freed("a", 1);
    refusedAnywhere(0, "one");
    assertThat(takeWoken()).containsExactly("w0", "w1");
    waitQueue.freed("a", 1);

    assertThat(takeWoken()).containsExactly("w0");
  }

  @Test
  void whatIsOnOfferToAnotherWhoIsLateIsNotWhereOneLooks() {
    for (int age = 0; age < 3; age++) {
      refusedAnywhere(age, "request " + age);
    }
    waitQueue.freed("a", 1);
    refusedAnywhere(2, "request 2");
    now.addAndGet(OFFER.toNanos());
    refused(0, "b");

    assertThat(reservedForOthers(2)).as("one is late").isEmpty();
    assertThat(nodes(2, "request 2")).isEmpty();
    assertThat(nodes(1, "request 1")).containsExactly("a");
  }

  @Test
  void aNodeThatFreesDevicesAgainAndAgainWakesNoMoreWaitersInASecond() {
    for (int age = 0; age < 3 * DeviceOffers.WAKES; age++) {
      refused(age, "a");
    }
    for (int update = 0; update < 3; update++) {
      waitQueue.freed("a", DeviceOffers.WAKES / 2);
    }
    Duration second = Duration.ofSeconds(1);

    assertThat(takeWoken()).as("none is left out").doesNotHaveDuplicates();
    assertThat(delays).isSorted().hasSize(3 * DeviceOffers.WAKES);
    assertThat(delays.stream().filter(Duration::isZero)).hasSize(DeviceOffers.WAKES);
    assertThat(delays.stream().filter(delay -> delay.compareTo(second) <= 0))
        .hasSize(2 * DeviceOffers.WAKES);
    assertThat(delays.get(delays.size() - 1)).isEqualTo(second.multipliedBy(2));
  }

  @Test
  void aNodeThatRestedWakesAsManyAtOnceAsEver() {
    for (int age = 0; age < 4 * DeviceOffers.WAKES; age++) {
      refused(age, "a");
    }
    waitQueue.freed("a", DeviceOffers.WAKES / 2);
    now.addAndGet(Duration.ofHours(1).toNanos());
    waitQueue.freed("a", DeviceOffers.WAKES);

    assertThat(delays.stream().filter(Duration::isZero)).hasSize(2 * DeviceOffers.WAKES);
  }

  @Test
  void aNodeThatFreesDevicesDuringEachEvaluationWakesNoMoreWaitersInASecond() {
    for (int i = 0; i < 100 * DeviceOffers.WAKES; i++) {
      missed(0, "a");
    }

    assertThat(delays.stream().filter(Duration::isZero)).hasSize(DeviceOffers.WAKES);
    assertThat(delays).as("the poll comes first").isSorted().hasSizeBetween(4_000, 5_000);
  }

  @Test
  void whoMissedDevicesOfSeveralNodesIsWokenByTheOneThatMaySooner() {
    for (int i = 0; i < 2 * DeviceOffers.WAKES; i++) {
      missed(0, "a");
    }
    delays.clear();
    missed(0, "a", "b");

    assertThat(delays).containsExactly(Duration.ZERO);
  }

  @Test
  void theTimeOfAnOfferBeginsWhenItsWaiterIsWoken() {
    for (int age = 0; age < 2 * DeviceOffers.WAKES; age++) {
      refused(age, "a");
    }
    waitQueue.freed("a", DeviceOffers.WAKES);

    assertThat(refused(0)).isEqualTo(OFFER);
    assertThat(refused(2 * DeviceOffers.WAKES - 1)).isEqualTo(OFFER.plusSeconds(1));
  }

  @Test
  void whatIsReservedIsLeftAloneByThoseWhoWaitAlready() {
    refused(0, "a");
    refused(1, "a");
    refused(2, "a");
    waitQueue.freed("a", 1);

    assertThat(reservedForOthers(0)).as("it is on offer to it").isEmpty();
    assertThat(reservedForOthers(2)).containsExactly("a");
    assertThat(reservedForOthers(3)).as("it is new").isEmpty();
  }

  @Test
  void aNodeWhoseNameIsFreeIsClosedToNobody() {
    refused(0, "a");
    refused(1, "a");
    waitQueue.nameReleased("a", ImmutableSet.of(work("w0")));
    assertThat(takeWoken()).containsExactly("w0");
    assertThat(reservedForOthers(1)).isEmpty();

    waitQueue.freed("a", 1);
    refused(2, "a");
    assertThat(reservedForOthers(2)).as("devices are on offer").containsExactly("a");
  }

  @Test
  void namesOfANodeAreOnOfferToFewAtOnce() {
    ImmutableSet.Builder<WorkKey> works = ImmutableSet.builder();
    for (int age = 0; age < 2 * DeviceOffers.WAKES; age++) {
      refused(age, "a");
      works.add(waiter(age).work());
    }
    waitQueue.nameReleased("a", works.build());

    assertThat(waitQueue.offers()).isEqualTo(DeviceOffers.WAKES);
  }

  @Test
  void devicesThatBecomeFreeDuringAnEvaluationAreReservedForOthers() {
    refused(0, "a");
    refused(1, "a");
    refused(2, "a");
    AnyNode where = (AnyNode) waitQueue.enter(waiter(2), "new").where();
    waitQueue.freed("a", 1);

    assertThat(where.but().get()).containsExactly("a");
  }

  @Test
  void aRefusalThatIsNotAlikeDoesNotCountForEqualRequests() {
    for (int age = 0; age < 3; age++) {
      refusedAnywhere(age, "one", /* alike= */ false);
    }
    waitQueue.freed("a", 1);
    assertThat(takeWoken()).containsExactly("w0", "w1");
    refusedAnywhere(0, "one", /* alike= */ false);
    refusedAnywhere(1, "one", /* alike= */ false);

    assertThat(takeWoken()).containsExactly("w2");
  }

  @Test
  void whoTakesTheNameOfOneWhoWaitedAnswersForIt() {
    for (int age = 0; age < 3; age++) {
      refused(age, "a");
    }
    waitQueue.freed("a", 1);
    refused(1, "a");
    assertThat(takeWoken()).containsExactly("w0", "w1");
    Waiter successor =
        new Waiter(new WaitRank(0, Some.EPOCH.plusSeconds(9)), "successor", waiter(0).work());
    waitQueue.enter(successor).refused(ImmutableSet.of("b"));

    assertThat(takeWoken()).containsExactly("w2");
    assertThat(waitQueue.waiting()).isEqualTo(3);
    waitQueue.freed("b", 1);
    assertThat(takeWoken()).containsExactly("w0");
  }

  @Test
  void twoOfTheSameAgeAreTwo() {
    for (String name : List.of("one", "other")) {
      Waiter waiter = new Waiter(new WaitRank(0, Some.EPOCH), "uid", work(name));
      waitQueue.enter(waiter, "any").refusedAnywhere(/* alike= */ false);
    }
    waitQueue.freed("a", 1);

    assertThat(takeWoken()).containsExactly("one", "other");
  }

  @Test
  void pollsAreSpread() {
    assertThat(refused(0, "a")).as("5 % more than 30 s").isEqualTo(Duration.ofMillis(31_500));
  }

  @Test
  void publishedNodesAreRememberedForASecondAndForTheSchedulersBackOff() {
    assertThat(published(0)).isEqualTo(history(/* lately= */ false, /* attempt= */ false));
    waitQueue.enter(waiter(0)).published();
    now.addAndGet(Duration.ofSeconds(1).toNanos() - 1);
    assertThat(published(0)).isEqualTo(history(/* lately= */ true, /* attempt= */ true));
    now.addAndGet(1);
    assertThat(published(0)).isEqualTo(history(/* lately= */ false, /* attempt= */ true));
    now.addAndGet(Duration.ofSeconds(9).toNanos() - 1);
    assertThat(published(0)).isEqualTo(history(/* lately= */ false, /* attempt= */ true));
    now.addAndGet(1);
    assertThat(published(0)).isEqualTo(history(/* lately= */ false, /* attempt= */ false));
  }

  private PublishHistory published(int age) {
    return waitQueue.enter(waiter(age)).publishHistory(ImmutableSet.of());
  }

  private static PublishHistory history(boolean lately, boolean attempt) {
    return new PublishHistory(lately, attempt, /* mayPublishSuitable= */ true);
  }
}
