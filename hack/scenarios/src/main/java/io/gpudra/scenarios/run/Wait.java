package io.gpudra.scenarios.run;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.time.Duration;

/**
 * Waits for something to become true.
 *
 * @param limit after which the answer is what is still wrong
 * @param pause between two looks
 * @param health tells when waiting is in vain
 */
public record Wait(Duration limit, Duration pause, Health health) {

  /** What is waited for. */
  public interface Check {
    /** What stands in the way; empty when nothing does. */
    ImmutableList<String> problems() throws IOException, InterruptedException;
  }

  /**
   * Asks until there is no problem, the limit is reached or waiting is in vain.
   *
   * @return the problems of the last time it asked
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
