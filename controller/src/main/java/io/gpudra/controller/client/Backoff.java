package io.gpudra.controller.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Growing waits between tries, spread over half to one and a half of themselves so that clients do
 * not come back together. For one thread.
 */
final class Backoff {
  private static final int MOST_DOUBLINGS = 20;

  private final Duration first;
  private final Duration longest;
  private int failures;

  Backoff(Duration first, Duration longest) {
    this.first = first;
    this.longest = longest;
  }

  /** It works again: the next wait is a short one. */
  void reset() {
    failures = 0;
  }

  /** How long to wait now; never less than what the server asked for. */
  Duration next(Duration askedFor) {
    long grown = first.toMillis() << Math.min(failures++, MOST_DOUBLINGS);
    long base = Math.min(grown, longest.toMillis());
    long wait = base / 2 + ThreadLocalRandom.current().nextLong(base);
    return Duration.ofMillis(
        Math.max(wait, askedFor.toMillis() + (askedFor.isZero() ? 0 : wait / 2)));
  }
}
