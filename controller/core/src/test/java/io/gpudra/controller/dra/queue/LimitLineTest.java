package io.gpudra.controller.dra.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class LimitLineTest extends LimitLineCase {
  private static String[] names(int from, int to) {
    return IntStream.range(from, to).mapToObj(age -> "w" + age).toArray(String[]::new);
  }

  @Test
  void theFirstOfTheNamespaceHasTheFirstTurn() {
    for (int age : new int[] {3, 1, 2}) {
      limited(age);
    }
    waitQueue.enter(waiter("other", 0)).limited(QUOTA, 1);
    waitQueue.eased("ns");
    assertThat(takeWoken()).containsExactly("w1");
    waitQueue.eased("nothing waits here");
    assertThat(takeWoken()).isEmpty();
  }

  @Test
  void eachThatAnswersPassesItsTurnToTheNext() {
    IntStream.range(0, 4).forEach(this::limited);
    waitQueue.eased("ns");
    assertThat(takeWoken()).containsExactly("w0");
    limited(0);
    assertThat(takeWoken()).as("refused again").containsExactly("w1");
    granted(1);
    assertThat(takeWoken()).as("granted").containsExactly("w2");
    enter(2).refused(ImmutableSet.of("node"));
    assertThat(takeWoken()).as("waits for devices").containsExactly("w3");
    limited(0);
    limited(3);
    assertThat(takeWoken()).as("all had their turn").isEmpty();
  }

  @Test
  void oneEasingRefusesALimitedNumberAgainWithoutAPause() {
    IntStream.range(0, 100).forEach(this::limited);
    waitQueue.eased("ns");
    later.clear();
    IntStream.range(0, LimitLine.TURNS).forEach(this::limited);
    assertThat(takeWoken()).containsExactly(names(0, LimitLine.TURNS));
    assertThat(later).as("with a pause").contains("w" + LimitLine.TURNS);
    assertThat(enter(99).letPass(1)).as("also then none overtakes it").isPresent();
    waitQueue.eased("ns");
    assertThat(takeWoken()).containsExactly("w0");
  }

  @Test
  void oneEasingServesAllThatItIsEnoughFor() {
    IntStream.range(0, 100).forEach(this::limited);
    waitQueue.eased("ns");
    IntStream.range(0, 100).forEach(this::granted);
    assertThat(takeWoken()).containsExactly(names(0, 100));
  }

  @Test
  void aLowerPriorityThatIsEvaluatedByChanceLetsAHigherOnePass() {
    Waiter high = new Waiter(new WaitRank(1, Some.EPOCH.plusSeconds(9)), "uid", work("high"));
    limited(1);
    waitQueue.enter(high).limited(QUOTA, 1);
    waitQueue.eased("ns");
    assertThat(takeWoken()).containsExactly("high");
    assertThat(enter(1).letPass(1)).isPresent();
    waitQueue.remove(high.work());
    assertThat(takeWoken()).containsExactly("w1");
  }

  @Test
  void whatEasesDuringAnEvaluationIsNotMissedAndCostsNoTurn() {
    IntStream.range(0, 2).forEach(this::limited);
    Turn before = enter(0);
    waitQueue.eased("ns");
    takeWoken();
    before.limited(QUOTA, 1);
    assertThat(takeWoken()).containsExactly("w0");
    assertThat(enter(1).letPass(1)).isPresent();
    limited(0);
    assertThat(takeWoken()).containsExactly("w1");
  }

  @Test
  void whatEasesInAnotherNamespaceCostsNoEvaluation() {
    Turn before = enter(0);
    waitQueue.eased("other");
    before.limited(QUOTA, 1);
    assertThat(takeWoken()).isEmpty();
  }

  @Test
  void aPriorityThatIsKnownOnlyThenCountsInTheLineAndMissesNoEasing() {
    Turn before = enter(9);
    waitQueue.eased("ns");
    before.withPriority(1).limited(QUOTA, 1);
    assertThat(takeWoken()).containsExactly("w9");
    limited(1);
    waitQueue.eased("ns");
    assertThat(takeWoken()).containsExactly("w9");
    assertThat(waitQueue.rank(waiter("ns", 9).work(), "uid").orElseThrow().priority()).isOne();
  }

  @Test
  void aWaiterWithAnotherRankThanBeforeDoesNotLetItselfPass() {
    limited(1);
    waitQueue.eased("ns");
    Waiter younger =
        new Waiter(new WaitRank(0, Some.EPOCH.plusSeconds(9)), "uid", waiter("ns", 1).work());
    assertThat(waitQueue.enter(younger).letPass(1)).isEmpty();
  }

  @Test
  void aNewcomerLetsThosePassThatAreBeingEvaluated() {
    limited(1);
    assertThat(enter(2).letPass(1)).as("none is evaluated").isEmpty();
    waitQueue.eased("ns");
    takeWoken();
    assertThat(enter(0).letPass(1)).as("comes first").isEmpty();
    assertThat(enter(1).letPass(1)).as("is evaluated").isEmpty();
    assertThat(enter(2).letPass(1)).isPresent();
    assertThat(takeWoken()).isEmpty();
    granted(1);
    assertThat(takeWoken()).containsExactly("w2");
    assertThat(enter(2).letPass(1)).isEmpty();
  }

  @Test
  void aWaiterThatDoesNotAnswerHoldsUpNoOneForLong() {
    IntStream.range(1, 4).forEach(this::limited);
    later.clear();
    waitQueue.eased("ns");
    assertThat(takeWoken()).containsExactly("w1");
    assertThat(later).as("after that time").containsExactly("w2");
    pass(ControllerDelays.LIMIT_TURN);
    assertThat(enter(2).letPass(1)).isEmpty();
    limited(2);
    assertThat(takeWoken()).as("has the turn").containsExactly("w2");
    limited(2);
    assertThat(takeWoken()).containsExactly("w3");
  }

  @Test
  void theLongerTheLineTheRarerItsPolls() {
    assertThat(limited(0)).isEqualTo(limited(1)).isBetween(seconds(27), seconds(33));
    IntStream.range(0, 1_000).forEach(this::limited);
    assertThat(limited(0)).isBetween(seconds(90), seconds(110));
  }

  private static Duration seconds(int count) {
    return Duration.ofSeconds(count);
  }

  @Test
  void claimsAreCountedForEachLimitThatTheyWaitFor() {
    enter(0).limited(ImmutableSet.of("quota", "other"), 2);
    limited(1);
    assertThat(waitQueue.limited("ns"))
        .isEqualTo(ImmutableMultiset.of("quota", "quota", "quota", "other", "other"));
    enter(0).refused(ImmutableSet.of("node"));
    granted(1);
    assertThat(waitQueue.limited("ns")).isEmpty();
  }

  @Test
  void aWaiterIsInOneLineOnly() {
    enter(0).refused(ImmutableSet.of("node"));
    limited(0);
    assertThat(waitQueue.waiting()).isZero();
    waitQueue.freed("node", 1);
    assertThat(takeWoken()).isEmpty();
  }

  @Test
  void aPodThatIsMadeAnewTakesThePlaceOfTheOldOne() {
    limited(0);
    Waiter anew =
        new Waiter(new WaitRank(0, Some.EPOCH.plusSeconds(9)), "new uid", waiter("ns", 0).work());
    waitQueue.enter(anew).limited(QUOTA, 1);
    limited(1);
    assertThat(waitQueue.limited("ns")).hasSize(2);
    waitQueue.eased("ns");
    assertThat(takeWoken()).containsExactly("w1");
    limited(1);
    assertThat(takeWoken()).containsExactly("w0");
    assertThat(Optional.of(waitQueue.limited("other"))).hasValue(ImmutableMultiset.of());
  }
}
