package io.gpudra.controller.dra.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.loop.ControllerDelays;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Turns that a waiter keeps while the scheduler chooses a node, and the next one. */
final class LimitLineChoosingTest extends LimitLineCase {
  @ParameterizedTest
  @CsvSource({
    "limited, 0, true",
    "granted, 0, true",
    "committed, 0, true",
    "refused, 0, true",
    "choosing, 0, false",
    "choosing, 14, false",
    "choosing, 15, true",
  })
  void aYoungerWaiterHasItsTurnAfterTheAnswerOfTheOlder(
      String answer, long seconds, boolean hasTurn) {
    IntStream.range(0, 2).forEach(this::limited);
    waitQueue.eased("ns");
    takeWoken();
    pass(Duration.ofSeconds(seconds));
    switch (answer) {
      case "limited" -> limited(0);
      case "granted" -> granted(0);
      case "committed" -> waitQueue.committed(work("w0"));
      case "refused" -> enter(0).refused(ImmutableSet.of("node"));
      default -> choosing(0);
    }

    assertThat(takeWoken().contains("w1")).isEqualTo(hasTurn);
    assertThat(enter(1).letPass(1).isEmpty()).isEqualTo(hasTurn);
    assertThat(enter(2).letPass(1)).as("a newcomer").isPresent();
  }

  @Test
  void whenTheSchedulerHasChosenTheTurnGoesOn() {
    IntStream.range(0, 3).forEach(this::limited);
    waitQueue.eased("ns");
    choosing(0);
    takeWoken();
    granted(0);
    assertThat(takeWoken()).containsExactly("w1");
  }

  @Test
  void aSchedulerThatNeverChoosesHoldsUpTheLineOnce() {
    IntStream.range(0, 2).forEach(this::limited);
    waitQueue.eased("ns");
    choosing(0);
    pass(ControllerDelays.LIMIT_TURN);
    IntStream.range(0, 2).forEach(unused -> limited(1));
    takeWoken();

    pass(ControllerDelays.LIMIT_TURN);
    waitQueue.eased("ns");
    choosing(0);
    assertThat(takeWoken()).containsExactly("w0", "w1");
    limited(1);
    limited(0);
    pass(ControllerDelays.LIMIT_TURN);
    waitQueue.eased("ns");
    choosing(0);
    assertThat(takeWoken()).as("it answered since").doesNotContain("w1");
  }

  @Test
  void tenPodsWhoseSchedulerNeverChoosesHoldUpTheLineForOneTurnTogether() {
    holdUp();
    assertThat(takeWoken()).endsWith("w9", "w10");
    assertThat(enter(10).letPass(1)).isEmpty();
  }

  /** The scheduler chooses no node for ten waiters; the turn of the first one ends late. */
  private void holdUp() {
    IntStream.range(0, 11).forEach(this::limited);
    waitQueue.eased("ns");
    choosing(0);
    pass(ControllerDelays.LIMIT_TURN);
    choosing(1);
    IntStream.range(1, 10).forEach(this::choosing);
  }

  @ParameterizedTest
  @CsvSource({"0, true", "14, true", "15, false"})
  void aLineIsHeldUpAgainOnlyForLimitsThatEaseLater(long seconds, boolean passes) {
    holdUp();
    limited(10);
    pass(Duration.ofSeconds(seconds));
    waitQueue.eased("ns");
    takeWoken();
    choosing(0);
    choosing(1);
    assertThat(takeWoken().contains("w2")).isEqualTo(passes);
  }

  /** However often limits ease, and although the first scheduler never chooses a node. */
  @Test
  void aYoungerWaiterPassesForOneTurnAfterALateOne() {
    IntStream.range(0, 3).forEach(this::limited);
    waitQueue.eased("ns");
    choosing(0);
    List<Integer> passed = new ArrayList<>();
    for (int second = 1; second <= 60; second++) {
      pass(Duration.ofSeconds(1));
      takeWoken();
      waitQueue.eased("ns");
      choosing(0);
      choosing(1);
      if (enter(2).letPass(1).isEmpty()) {
        passed.add(second);
      }
    }
    assertThat(passed).isEqualTo(IntStream.range(15, 30).boxed().toList());
  }

  @Test
  void theThirdIsWokenWhenTheSecondLeft() {
    IntStream.range(0, 3).forEach(this::limited);
    waitQueue.eased("ns");
    choosing(0);
    later.clear();
    granted(1);
    assertThat(later).containsExactly("w2");
  }

  @ParameterizedTest
  @CsvSource({"1, w1", "3, w2"})
  void aNewcomerIsWokenAtTheEndOfATurnIfItComesNext(int newcomer, String woken) {
    limited(0);
    limited(2);
    waitQueue.eased("ns");
    later.clear();
    choosing(0);
    assertThat(enter(newcomer).letPass(1)).isPresent();
    assertThat(enter(2).letPass(1)).isPresent();
    assertThat(later).containsOnly(woken);
  }

  @Test
  void theFirstNewcomerIsWokenAtTheEndOfATurn() {
    limited(0);
    waitQueue.eased("ns");
    choosing(0);
    assertThat(enter(1).letPass(1)).isPresent();
    assertThat(later).containsExactly("w1");
  }

  @Test
  void limitsThatEaseAllTheTimeDoNotProlongATurn() {
    IntStream.range(0, 2).forEach(this::limited);
    for (int i = 0; i < 3; i++) {
      waitQueue.eased("ns");
      choosing(0);
      assertThat(takeWoken()).containsExactly("w0");
      pass(ControllerDelays.LIMIT_TURN.dividedBy(3).plusMillis(1));
    }
    waitQueue.eased("ns");
    choosing(0);
    assertThat(takeWoken()).containsExactly("w0", "w1");
  }

  @Test
  void theNextComesWhenTheTurnOfAnotherIsOverAlthoughItWasSeenMeanwhile() {
    IntStream.range(0, 2).forEach(this::limited);
    waitQueue.eased("ns");
    choosing(0);
    later.clear();
    assertThat(enter(1).letPass(1)).isPresent();
    assertThat(later).containsExactly("w1");
  }

  @Test
  void aPodWhoseSchedulerChoosesStandsInTheLineOfOthers() {
    choosing(0);
    limited(2);
    choosing(1);
    assertThat(waitQueue.limited("ns")).as("only what is known to be limited").hasSize(1);
    waitQueue.eased("ns");
    assertThat(takeWoken()).as("there was no line before").containsExactly("w1");
    assertThat(enter(2).letPass(1)).isPresent();

    enter(1).refused(ImmutableSet.of("node"));
    assertThat(takeWoken()).containsExactly("w2");
    assertThat(enter(2).letPass(1)).isEmpty();
  }
}
