package io.gpudra.controller.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What tenants can fill of the heap. */
class MemoryBudgetTest {
  private static final long MEBI = 1 << 20;

  private static long all(long heap) {
    return Arrays.stream(MemoryBudget.values()).mapToLong(budget -> budget.of(heap)).sum();
  }

  @Test
  void allBudgetsTogetherLeaveHalfOfTheHeapForTheCluster() {
    assertThat(all(352 * MEBI)).isLessThanOrEqualTo(176 * MEBI);
    assertThat(all(35 * MEBI)).isLessThanOrEqualTo(18 * MEBI);
  }

  @Test
  void aLargerHeapIsForMoreNodes() {
    assertThat(all(4096 * MEBI)).isEqualTo(all(352 * MEBI));
  }
}
