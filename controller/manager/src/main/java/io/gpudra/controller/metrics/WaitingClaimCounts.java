package io.gpudra.controller.metrics;

import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.process.LabelledCounter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Counts waiting claims by class and by waiting time.
 *
 * @param unallocated claims without an allocation
 * @param waitsSince the time since which this driver should allocate a claim; empty if it should
 *     not
 */
public record WaitingClaimCounts(
    Supplier<? extends Collection<ClaimFacts>> unallocated,
    Function<ClaimFacts, Optional<Instant>> waitsSince,
    Clock clock) {

  /** Upper bound of the waiting time. */
  private enum Age {
    MINUTE("1m", Duration.ofMinutes(1)),
    TEN_MINUTES("10m", Duration.ofMinutes(10)),
    HOUR("1h", Duration.ofHours(1)),
    DAY("1d", Duration.ofDays(1)),
    LONGER("longer", Duration.ofSeconds(Long.MAX_VALUE));

    private final String label;
    private final Duration most;

    Age(String label, Duration most) {
      this.label = label;
      this.most = most;
    }

    static Age of(Duration time) {
      return Arrays.stream(values())
          .filter(age -> time.compareTo(age.most) <= 0)
          .findFirst()
          .orElse(LONGER);
    }
  }

  LabelledCounter.Table count() {
    Instant now = clock.instant();
    LabelledCounter labelledCounter = new LabelledCounter("class", "age");
    unallocated.get().stream()
        .filter(claim -> !claim.ending() && !claim.hasBuiltinFinalizer())
        .forEach(
            claim ->
                waitsSince
                    .apply(claim)
                    .ifPresent(
                        since ->
                            count(
                                claim.className(), Duration.between(since, now), labelledCounter)));
    return labelledCounter.table();
  }

  private static void count(String className, Duration waited, LabelledCounter labelledCounter) {
    for (Age age : Age.values()) {
      labelledCounter.add(age == Age.of(waited) ? 1 : 0, className, age.label);
    }
  }
}
