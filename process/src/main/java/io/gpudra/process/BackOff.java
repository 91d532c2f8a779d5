package io.gpudra.process;

import java.time.Duration;

/**
 * Waits that double with each failure in a row.
 *
 * @param first wait after the first failure
 * @param longest no wait is longer
 */
public record BackOff(Duration first, Duration longest) {

  private static final int LARGEST_SHIFT = 30;

  /**
   * The wait after a failure.
   *
   * @param failures the number of failures in a row, from 1
   */
  public Duration after(int failures) {
    Duration wait = first.multipliedBy(1L << Math.min(failures - 1, LARGEST_SHIFT));
    return wait.compareTo(longest) > 0 ? longest : wait;
  }

  /**
   * The same wait, shortened by up to a half, so that callers that failed together do not retry
   * together.
   *
   * @param random from 0 to 1
   */
  public Duration after(int failures, double random) {
    return Duration.ofNanos(Math.round(after(failures).toNanos() * (0.5 + 0.5 * random)));
  }
}
