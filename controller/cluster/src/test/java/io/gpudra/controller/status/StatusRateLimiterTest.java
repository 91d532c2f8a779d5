package io.gpudra.controller.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusRateLimiterTest {
  private final List<Long> waits = new ArrayList<>();
  private long nanos;
  private final StatusRateLimiter limiter =
      new StatusRateLimiter(Duration.ofMillis(50), () -> nanos, waits::add);

  @Test
  void judgingLeavesHalfOfTheTimeToOthers() {
    runs(Duration.ofMillis(6), 3);
    assertThat(waits).containsExactly(Duration.ofMillis(12).toNanos());
    nanos += Duration.ofMinutes(1).toNanos();
    waits.clear();
    runs(Duration.ofSeconds(100), 2);
    assertThat(waits).containsExactly(Duration.ofSeconds(30).toNanos());
  }

  @Test
  void aNamespaceLeavesNineTenthsOfTheTimeToOthers() {
    limiter.worked("team-a", Duration.ofMillis(100).toNanos());
    assertThat(limiter.rest("team-a")).as("too short").isZero();
    limiter.worked("team-a", Duration.ofMillis(100).toNanos());

    assertThat(limiter.rest("team-a")).isEqualTo(Duration.ofMillis(1_800));
    assertThat(limiter.rest("team-b")).isZero();
    nanos += Duration.ofMinutes(1).toNanos();
    assertThat(limiter.rest("team-a")).isZero();
    limiter.worked("team-a", Duration.ofSeconds(12).toNanos());
    assertThat(limiter.rest("team-a")).as("however long").isEqualTo(Duration.ofSeconds(108));
  }

  /** The clock stands still while it waits, as far as this is asked. */
  private void runs(Duration work, int times) {
    try {
      for (int i = 0; i < times; i++) {
        limiter.beforeWork();
        limiter.worked("team-a", work.toNanos());
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
