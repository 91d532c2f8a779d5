package io.gpudra.controller.client;

import io.gpudra.process.BackOff;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Back-off after consecutive failures, which respects the server's Retry-After. For one thread. */
public final class FailureBackoff {
  private final BackOff waits;
  private int failures;

  /** Back-off from the first delay to the longest. */
  public FailureBackoff(Duration first, Duration longest) {
    this.waits = new BackOff(first, longest);
  }

  /** Resets after a success: the next delay is short. */
  public void reset() {
    failures = 0;
  }

  /** The delay now; never less than the server asked for. */
  public Duration next(Duration askedFor) {
    failures++;
    Duration wait = waits.after(failures, ThreadLocalRandom.current().nextDouble());
    return askedFor.isZero() ? wait : max(wait, askedFor.plus(wait.dividedBy(2)));
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}
