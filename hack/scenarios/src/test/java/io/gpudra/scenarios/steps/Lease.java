package io.gpudra.scenarios.steps;

import java.time.Duration;

/** The lease object: who leads, and how often that was said or changed. */
final class Lease {
  static final Duration LENGTH = Duration.ofSeconds(15);
  static final Duration RENEW_DEADLINE = Duration.ofSeconds(10);
  static final Duration RETRY = Duration.ofSeconds(2);
  static final Duration CALL = Duration.ofSeconds(4);

  private String holder = "";
  private long version;
  private long epoch;

  String holder() {
    return holder;
  }

  long version() {
    return version;
  }

  long epoch() {
    return epoch;
  }

  /** Writes the lease; what the reader saw before must still hold. */
  void hold(String by) {
    epoch += by.equals(holder) ? 0 : 1;
    holder = by;
    version++;
  }
}
