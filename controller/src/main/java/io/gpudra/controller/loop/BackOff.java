package io.gpudra.controller.loop;

import java.time.Duration;

/**
 * Waits that double with each failure of a key. Without jitter: the order of retries under a manual
 * clock is always the same.
 *
 * @param first wait after the first failure
 * @param longest no wait is longer
 */
public record BackOff(Duration first, Duration longest) {

  /** 5 ms doubling up to a minute. */
  public static final BackOff USUAL = new BackOff(Duration.ofMillis(5), Duration.ofMinutes(1));

  private static final int LARGEST_SHIFT = 30;

  /**
   * The wait after a failure.
   *
   * @param failures how often the key failed in a row, from 1
   */
  Duration after(int failures) {
    Duration wait = first.multipliedBy(1L << Math.min(failures - 1, LARGEST_SHIFT));
    return wait.compareTo(longest) > 0 ? longest : wait;
  }
}
