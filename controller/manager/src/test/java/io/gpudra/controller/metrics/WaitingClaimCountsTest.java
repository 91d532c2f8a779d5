package io.gpudra.controller.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.process.LabelledCounter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WaitingClaimCountsTest {
  private static final int CLASSES = 10_000;
  private static final Instant NOW = Some.EPOCH.plus(Duration.ofDays(400));

  private final List<ClaimFacts> claims = new ArrayList<>();

  private LabelledCounter.Table count(Optional<Instant> since) {
    return new WaitingClaimCounts(() -> claims, claim -> since, Clock.fixed(NOW, ZoneOffset.UTC))
        .count();
  }

  private LabelledCounter.Table countAfter(Duration time) {
    return count(Optional.of(NOW.minus(time)));
  }

  private static ImmutableList<String> labels(String className, String age) {
    return ImmutableList.of(className, age);
  }

  @ParameterizedTest
  @CsvSource({
    "PT-3S, 1m",
    "PT0S, 1m",
    "PT1M, 1m",
    "PT1M1S, 10m",
    "PT10M, 10m",
    "PT1H, 1h",
    "PT1H1S, 1d",
    "PT24H, 1d",
    "PT24H1S, longer",
    "P400D, longer",
  })
  void aClaimIsCountedWithThoseThatWaitAboutAsLong(Duration time, String age) {
    claims.add(Some.claim("a").ofClass("gpu").facts());

    assertThat(countAfter(time).counts())
        .hasSize(5)
        .containsEntry(labels("gpu", age), 1L)
        .satisfies(
            counts ->
                assertThat(counts.values().stream().mapToLong(count -> count).sum()).isEqualTo(1));
  }

  @Test
  void whatNobodyWantsOrWhatEndsDoesNotWait() {
    claims.add(Some.claim("a").facts());
    assertThat(count(Optional.empty()).counts()).isEmpty();

    claims.clear();
    claims.add(Some.claim("a").deleting().facts());
    claims.add(Some.claim("b").requested(true).facts());
    claims.add(Some.claim("c").withBuiltinFinalizer().facts());
    assertThat(countAfter(Duration.ZERO).counts()).isEmpty();
  }

  @Test
  void tenThousandClassesAreCountedWithoutATenThousandLines() {
    for (int i = 0; i < CLASSES; i++) {
      claims.add(Some.claim("a" + i).ofClass("class-" + i).facts());
    }

    LabelledCounter.Table table = countAfter(Duration.ofMinutes(5));

    assertThat(table.counts()).hasSizeLessThan(200);
    assertThat(table.counts().values().stream().mapToLong(count -> count).sum()).isEqualTo(CLASSES);
  }
}
