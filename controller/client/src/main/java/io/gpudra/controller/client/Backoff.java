package io.gpudra.controller.client;

import io.gpudra.process.BackOff;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Counts failures in a row, and heeds what a server asks for. For one thread. */
public final class Backoff {
  private final BackOff waits;
  private int failures;

  /** Waits from the first to the longest. */
  public Backoff(Duration first, Duration longest) {
    this.waits = new BackOff(first, longest);
  }

  /** It works again: the next wait is a short one. */
  public void reset() {
    failures = 0;
  }

  /** How long to wait now; never less than what the server asked for. */
  public Duration next(Duration askedFor) {
    failures++;
    Duration wait = waits.after(failures, ThreadLocalRandom.current().nextDouble());
    return askedFor.isZero() ? wait : max(wait, askedFor.plus(wait.dividedBy(2)));
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}
