package io.gpudra.controller.quota.status;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.quota.QuotaCharge;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.controller.quota.QuotaUse;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.api.quota.GpuAmount;
import io.gpudra.crds.api.quota.GpuQuotaStatus;
import io.gpudra.crds.model.MemorySize;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The figures of a quota.
 *
 * @param waiting the number of claims that wait because of it
 */
record QuotaFigures(QuotaUse use, int waiting) {

  /** The status that replaces this one; equal to it if the figures are. */
  GpuQuotaStatus status(Optional<GpuQuotaStatus> before, Instant now) {
    Condition exceeded = exceeded(before.flatMap(QuotaFigures::condition), now);
    return new GpuQuotaStatus(used(), waiting, ImmutableList.of(exceeded));
  }

  /** Our part of a stored status: other clients may add conditions. */
  static GpuQuotaStatus ours(GpuQuotaStatus stored) {
    ImmutableList<Condition> conditions = condition(stored).stream().collect(toImmutableList());
    return new GpuQuotaStatus(stored.used(), stored.waitingClaims(), conditions);
  }

  private static Optional<Condition> condition(GpuQuotaStatus stored) {
    return Stream.ofNullable(stored.conditions())
        .flatMap(conditions -> conditions.stream())
        .filter(condition -> GpuQuotaStatus.EXCEEDED.equals(condition.type()))
        .findFirst();
  }

  private GpuQuotaStatus.Used used() {
    QuotaCharge used = use.used();
    return new GpuQuotaStatus.Used(
        new GpuAmount(used.thousandths()).text(), MemorySize.exactText(used.bytes()));
  }

  private Condition exceeded(Optional<Condition> before, Instant now) {
    String status = waiting > 0 || use.exceeded() ? "True" : "False";
    String since =
        before
            .filter(condition -> status.equals(condition.status()))
            .flatMap(condition -> Optional.ofNullable(condition.lastTransitionTime()))
            .orElse(now.truncatedTo(ChronoUnit.SECONDS).toString());
    return new Condition(GpuQuotaStatus.EXCEEDED, status, reason(), message(), since);
  }

  private String reason() {
    if (use.exceeded()) {
      return "OverLimit";
    }
    return waiting > 0 ? "ClaimsWait" : "WithinLimits";
  }

  private String message() {
    QuotaLimit limit = use.limit();
    GpuQuotaStatus.Used used = used();
    Stream<String> gpus =
        limit.thousandths().stream()
            .mapToObj(most -> "gpus %s of %s".formatted(used.gpus(), new GpuAmount(most).text()));
    Stream<String> memory =
        limit.bytes().stream()
            .mapToObj(
                most -> "memory %s of %s".formatted(used.memory(), MemorySize.exactText(most)));
    return Stream.concat(gpus, memory).collect(Collectors.joining(", "))
        + " in use; %d claims wait".formatted(waiting);
  }
}
