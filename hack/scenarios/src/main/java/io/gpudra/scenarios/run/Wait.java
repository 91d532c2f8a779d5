package io.gpudra.scenarios.run;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.time.Duration;

/**
 * Waits for a condition.
 *
 * @param limit after which the remaining problems are returned
 * @param pause between two checks
 * @param health detects when waiting is useless
 */
public record Wait(Duration limit, Duration pause, Health health) {

  /** A condition. */
  public interface Check {
    /** Problems; empty if the condition holds. */
    ImmutableList<String> problems() throws IOException, InterruptedException;
  }

  /**
   * Checks until there is no problem, the limit is reached or waiting is useless.
   *
   * @return the problems of the last check
   */
  public ImmutableList<String> until(Check check) throws IOException, InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (true) {
      ImmutableList<String> problems = check.problems();
      var fault = health.fault();
      if (fault.isPresent()) {
        return ImmutableList.of(fault.get());
      }
      if (problems.isEmpty() || System.nanoTime() - end > 0) {
        return problems;
      }
      Thread.sleep(pause.toMillis());
    }
  }
}
