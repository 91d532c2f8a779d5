package io.gpudra.bench.figure;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableListMultimap;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static final Figure WITHIN = Figure.of("quick enough", 0.1234, "ms").atMost(1);
  private static final Figure BEYOND = Figure.of("too big", 512.6, "MiB").atMost(512);
  private static final Figure FREE = Figure.of("some ratio", 12.345, "");

  @Test
  void theTableHasARowForEachFigureAndSaysWhichBudgetsHold() {
    assertThat(report(WITHIN, FREE, BEYOND).table())
        .isEqualTo(
            """
            a machine, 2026-01-02T03:04:05Z

            | benchmark | figure | measured | budget | held |
            |---|---|---:|---:|---|
            | some | quick enough | 0.123 ms | ≤ 1 ms | yes |
            | some | some ratio | 12.3 |  |  |
            | some | too big | 513 MiB | ≤ 512 MiB | **no** |
            """);
  }

  @Test
  void oneBudgetThatDoesNotHoldIsEnough() {
    assertThat(report(WITHIN, FREE).held()).isTrue();
    assertThat(report(WITHIN, BEYOND).held()).isFalse();
  }

  @Test
  void theJsonHasTheSameWithAllDigits() {
    assertThat(report(WITHIN, FREE).json())
        .isEqualToIgnoringWhitespace(
            """
            {"machine": "a machine", "at": "2026-01-02T03:04:05Z", "held": true, "figures": [
              {"benchmark": "some", "figure": "quick enough", "measured": 0.1234, "unit": "ms",
               "budget": 1.0, "held": true},
              {"benchmark": "some", "figure": "some ratio", "measured": 12.345, "unit": ""}]}
            """);
  }

  private static Report report(Figure... figures) {
    ImmutableListMultimap.Builder<String, Figure> all = ImmutableListMultimap.builder();
    return new Report(
        "a machine", Instant.parse("2026-01-02T03:04:05Z"), all.putAll("some", figures).build());
  }
}
