package io.gpudra.controller.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

  @ParameterizedTest
  @EnumSource(MemoryBudget.class)
  void eachBudgetIsListedForWhoReadsOfSecurity(MemoryBudget budget) throws IOException {
    assertThat(Files.readAllLines(Path.of("../../SECURITY.md")))
        .anyMatch(
            line ->
                line.startsWith("| `" + budget + "` |")
                    && line.contains(" | %d | ".formatted(budget.of(352 * MEBI) / MEBI)));
  }
}
