package io.gpudra.scenarios.steps;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/** All that is left to chance in a history: the same seed, the same history. */
final class Chance {
  private final Random random;

  Chance(long seed) {
    random = new Random(seed);
  }

  Random random() {
    return random;
  }

  boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  /** From 0, exclusive of the bound. */
  int below(int bound) {
    return random.nextInt(bound);
  }

  int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  Duration millis(int least, int most) {
    return Duration.ofMillis(between(least, most));
  }

  <T> T of(List<T> some) {
    return some.get(random.nextInt(some.size()));
  }
}
