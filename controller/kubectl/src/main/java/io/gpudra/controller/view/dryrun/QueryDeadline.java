package io.gpudra.controller.view.dryrun;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Time limit of a search, after which it returns the best result so far.
 *
 * @param nanoTime as of {@link System#nanoTime}
 * @param end on that clock
 */
public record QueryDeadline(LongSupplier nanoTime, long end) {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** The deadline of one interactive search, from now on. */
  public static QueryDeadline ofAPerson() {
    return ofAPerson(System::nanoTime);
  }

  /** The deadline of a search for a whole group, twice as long, from now on. */
  public static QueryDeadline ofAGroup() {
    return ofAnAnswer(System::nanoTime);
  }

  /** The deadline of a dry run and the search that follows it, twice as long, from now on. */
  static QueryDeadline ofAnAnswer(LongSupplier nanoTime) {
    return new QueryDeadline(nanoTime, nanoTime.getAsLong() + TIMEOUT.multipliedBy(2).toNanos());
  }

  static QueryDeadline ofAPerson(LongSupplier nanoTime) {
    return new QueryDeadline(nanoTime, nanoTime.getAsLong() + TIMEOUT.toNanos());
  }

  /** Whether the time limit has passed. */
  public boolean isOver() {
    return nanoTime.getAsLong() - end > 0;
  }
}
