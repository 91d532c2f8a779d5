package io.gpudra.controller.dra;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.Waiters.Waiter;
import io.gpudra.controller.loop.ObjectKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class WaitersTest {
  private final AtomicLong now = new AtomicLong();
  private final List<String> woken = new ArrayList<>();
  private final Waiters waiters =
      new Waiters(now::get, () -> 0L, work -> woken.add(work.key().name()));

  /** The older, the smaller the number. */
  private static Waiter waiter(int age) {
    WorkKey work = WorkKey.context(new ObjectKey("ns", "w" + age));
    return new Waiter(Some.EPOCH.plusSeconds(age), "uid", work);
  }

  private Duration refused(int age, String... nodes) {
    return waiters.waits(waiter(age), Optional.of(ImmutableSet.copyOf(nodes)), waiters.mark());
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
    waiters.waits(waiter(2), Optional.empty(), waiters.mark());
    waiters.freed("a", 1);
    assertThat(takeWoken()).containsExactly("w1", "w2");
  }

  @Test
  void theNextAreWokenWhenAllHaveAnsweredAndDevicesAreLeft() {
    for (int age = 0; age < 6; age++) {
      refused(age, "a");
    }
    waiters.freed("a", 1);
    assertThat(takeWoken()).containsExactly("w0", "w1");
    refused(0, "a");
    assertThat(takeWoken()).isEmpty();
    refused(1, "a");
    assertThat(takeWoken()).containsExactly("w2", "w3");
    waiters.leaves(waiter(2).work(), 1);
    refused(3, "a");
    assertThat(takeWoken()).as("the device is taken").isEmpty();
  }

  @Test
  void anOfferStandsForFifteenSecondsAndThenGoesToTheNext() {
    for (int age = 0; age < 4; age++) {
      refused(age, "a");
    }
    waiters.freed("a", 1);
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
    waiters.freed("a", 1);
    refused(1, "a");
    waiters.leaves(waiter(0).work(), 0);
    assertThat(takeWoken()).containsExactly("w0", "w1", "w2");
  }

  @Test
  void moreFreedDevicesStartWithTheOldestAgain() {
    refused(0, "a");
    refused(1, "a");
    waiters.freed("a", 1);
    refused(0, "a");
    refused(1, "a");
    takeWoken();
    waiters.freed("a", 3);
    assertThat(takeWoken()).containsExactly("w0", "w1");
  }

  @Test
  void whatIsFreedWhileNodesAreJudgedWakesAtOnce() {
    long before = waiters.mark();
    waiters.freed("a", 1);
    waiters.waits(waiter(0), Optional.of(ImmutableSet.of("b")), before);
    assertThat(takeWoken()).isEmpty();
    waiters.waits(waiter(0), Optional.of(ImmutableSet.of("a")), before);
    assertThat(takeWoken()).containsExactly("w0");
  }

  @Test
  void whatWasFreedLongAgoIsForgotten() {
    long mark = waiters.mark();
    waiters.freed("a", 1);
    now.addAndGet(Duration.ofMinutes(1).toNanos());
    waiters.freed("b", 1);
    waiters.waits(waiter(0), Optional.of(ImmutableSet.of("a")), mark);
    assertThat(takeWoken()).isEmpty();
    waiters.waits(waiter(1), Optional.of(ImmutableSet.of("b")), mark);
    assertThat(takeWoken()).containsExactly("w1");
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
    WorkKey work = waiter(0).work();
    assertThat(waiters.mayHearGoodNews(work)).as("new").isTrue();
    refused(0, "a");
    assertThat(waiters.mayHearGoodNews(work)).isFalse();
    waiters.freed("a", 1);
    assertThat(waiters.mayHearGoodNews(work)).as("woken").isTrue();
    refused(0, "a");
    assertThat(waiters.mayHearGoodNews(work)).isFalse();
    now.addAndGet(Duration.ofSeconds(27).toNanos());
    assertThat(waiters.mayHearGoodNews(work)).as("due").isTrue();
  }
}
