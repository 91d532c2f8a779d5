package io.gpudra.controller.dra.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.waiting.WaitQueue.Look;
import io.gpudra.controller.dra.waiting.WaitQueue.Waiter;
import io.gpudra.controller.loop.ObjectKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
    return new Waiter(Some.EPOCH.plusSeconds(age), "uid", work("w" + age));
  }

  private static WorkKey work(String name) {
    return WorkKey.context(new ObjectKey("ns", name));
  }

  private Duration refused(int age, String... nodes) {
    return waitQueue.waits(waiter(age), Optional.of(ImmutableSet.copyOf(nodes)), waitQueue.mark());
  }

  private void refusedAnywhere(int age, String request) {
    Look look = new Look(Optional.empty(), ImmutableSet.of(), waitQueue.mark());
    waitQueue.waitsAnywhere(waiter(age), Optional.of(request), look);
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
    waitQueue.leaves(waiter(0).work(), ImmutableMultiset.of("a"));
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

    assertThat(waitQueue.reservedForOthers(waiter(2))).as("one is late").isEmpty();
    assertThat(waitQueue.look(waiter(2), "request 2").nodes()).hasValue(ImmutableSet.of());
    assertThat(waitQueue.look(waiter(1), "request 1").nodes()).hasValue(ImmutableSet.of("a"));
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

    assertThat(waitQueue.reservedForOthers(waiter(0))).as("it is on offer to it").isEmpty();
    assertThat(waitQueue.reservedForOthers(waiter(2))).containsExactly("a");
    assertThat(waitQueue.reservedForOthers(waiter(3))).as("it is new").isEmpty();
  }

  @Test
  void whoTakesTheNameOfOneWhoWaitedAnswersForIt() {
    for (int age = 0; age < 3; age++) {
      refused(age, "a");
    }
    waitQueue.freed("a", 1);
    refused(1, "a");
    assertThat(takeWoken()).containsExactly("w0", "w1");
    Waiter successor = new Waiter(Some.EPOCH.plusSeconds(9), "successor", waiter(0).work());
    waitQueue.waits(successor, Optional.of(ImmutableSet.of("b")), waitQueue.mark());

    assertThat(takeWoken()).containsExactly("w2");
    assertThat(waitQueue.waiting()).isEqualTo(3);
    waitQueue.freed("b", 1);
    assertThat(takeWoken()).containsExactly("w0");
  }

  @Test
  void twoOfTheSameAgeAreTwo() {
    waitQueue.waits(new Waiter(Some.EPOCH, "uid", work("one")), Optional.empty(), 0);
    waitQueue.waits(new Waiter(Some.EPOCH, "uid", work("other")), Optional.empty(), 0);
    waitQueue.freed("a", 1);

    assertThat(takeWoken()).containsExactly("one", "other");
  }

  @Test
  void pollsAreSpread() {
    assertThat(refused(0, "a")).as("5 % more than 30 s").isEqualTo(Duration.ofMillis(31_500));
  }

  @Test
  void newsAreOfLatelyUntilTheTimeIsOver() {
    waitQueue.told(waiter(0).work());
    now.addAndGet(OFFER.toNanos() - 1);
    assertThat(waitQueue.toldWithin(waiter(0).work(), OFFER)).isTrue();
    now.addAndGet(1);
    assertThat(waitQueue.toldWithin(waiter(0).work(), OFFER)).isFalse();
    assertThat(waitQueue.toldWithin(waiter(1).work(), OFFER)).isFalse();
  }
}
