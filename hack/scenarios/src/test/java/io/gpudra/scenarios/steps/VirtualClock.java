package io.gpudra.scenarios.steps;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Time that passes when it is told to. */
final class VirtualClock extends Clock {
  static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private Instant now = START;

  @Override
  public Instant instant() {
    return now;
  }

  /** Monotonic nanoseconds. */
  long nanos() {
    return Duration.between(START, now).toNanos();
  }

  void pass(Duration time) {
    now = now.plus(time);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
