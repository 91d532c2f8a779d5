package io.gpudra.crds.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class WaitRankTest {
  private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");

  @Test
  void aHigherPriorityComesBeforeALongerWait() {
    assertThat(new WaitRank(1, NOW)).isLessThan(new WaitRank(0, NOW.minusSeconds(60)));
    assertThat(new WaitRank(Integer.MAX_VALUE, NOW)).isLessThan(new WaitRank(-1, NOW));
  }

  @Test
  void amongEqualPrioritiesTheLongerWaitComesFirst() {
    assertThat(new WaitRank(0, NOW.minusSeconds(60))).isLessThan(new WaitRank(0, NOW));
  }

  @Test
  void theLastRankComesAfterAllOthers() {
    assertThat(new WaitRank(Integer.MIN_VALUE, NOW)).isLessThan(WaitRank.LAST);
  }
}
