package io.gpudra.controller.view.whatif;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * When somebody who waits for an answer gets what there is.
 *
 * @param nanoTime as of {@link System#nanoTime}
 * @param end on that clock
 */
public record Deadline(LongSupplier nanoTime, long end) {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** As long as a person waits, from now on. */
  public static Deadline ofAPerson() {
    return ofAPerson(System::nanoTime);
  }

  /**
   * From now on as long as a person waits, and once more: what is known goes before what would
   * help.
   */
  static Deadline ofAnAnswer(LongSupplier nanoTime) {
    return new Deadline(nanoTime, nanoTime.getAsLong() + PATIENCE.multipliedBy(2).toNanos());
  }

  static Deadline ofAPerson(LongSupplier nanoTime) {
    return new Deadline(nanoTime, nanoTime.getAsLong() + PATIENCE.toNanos());
  }

  /** Whether it is now. */
  public boolean isOver() {
    return nanoTime.getAsLong() - end > 0;
  }
}
