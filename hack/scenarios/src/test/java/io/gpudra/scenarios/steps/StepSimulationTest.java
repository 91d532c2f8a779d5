package io.gpudra.scenarios.steps;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A fixed share of what {@code hack/scenarios/steps} does at length. */
class StepSimulationTest {
  private static final int SEEDS = 60;
  private static final int LENGTH = 2_000;

  @BeforeAll
  static void quietly() {
    StepsCommand.silence();
  }

  @Test
  void whateverGoesWrongNothingIsLost() {
    assertThat(LongStream.rangeClosed(1, SEEDS).parallel().mapToObj(StepSimulationTest::problem))
        .allSatisfy(problem -> assertThat(problem).isEmpty());
  }

  private static String problem(long seed) {
    return Steps.run(seed, LENGTH, /* chronicled= */ false)
        .problem()
        .map(text -> "hack/scenarios/steps --length %d --seed %d: %s".formatted(LENGTH, seed, text))
        .orElse("");
  }

  /** One without gates, one with gates and quotas, one in which pods come without end. */
  @ParameterizedTest
  @ValueSource(longs = {7, 8, 10})
  void aSeedIsTheSameHistoryEachTime(long seed) {
    assertThat(Steps.run(seed, 500, /* chronicled= */ true))
        .isEqualTo(Steps.run(seed, 500, /* chronicled= */ true));
  }
}
