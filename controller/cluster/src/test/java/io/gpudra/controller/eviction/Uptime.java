package io.gpudra.controller.eviction;

import com.google.common.base.Ticker;
import java.time.Duration;

/** Time since a test began, wherever its clock is set. */
final class Uptime extends Ticker {
  private Duration time = Duration.ZERO;

  void passSecond() {
    time = time.plusSeconds(1);
  }

  @Override
  public long read() {
    return time.toNanos();
  }
}
