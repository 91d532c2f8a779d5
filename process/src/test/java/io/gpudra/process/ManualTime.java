package io.gpudra.process;

import com.codahale.metrics.Clock;

/** Time that passes when a test says so. */
final class ManualTime extends Clock {
  private long nanos;

  void pass(long moreNanos) {
    nanos += moreNanos;
  }

  @Override
  public long getTick() {
    return nanos;
  }
}
