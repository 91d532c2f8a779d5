package io.gpudra.controller.quota.status;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Multimaps;
import com.google.common.collect.Multiset;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.quota.QuotaUse;
import io.gpudra.crds.api.quota.GpuQuotaStatus;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/** Compares the figures of all quotas with their status, and writes differences. For one thread. */
public final class QuotaStatusWriter {
  private final QuotaObjects objects;
  private final Sums sums;
  private final BooleanSupplier leading;
  private final Supplier<Instant> now;

  /** Our last write to each quota, by UID: the cache shows it a moment later. */
  private final Map<String, WrittenStatus> written = new HashMap<>();

  /**
   * The figures of a namespace.
   *
   * @param uses a quota each
   * @param waiting the number of claims that wait because of each quota, by its name
   */
  public record Sums(
      Function<String, ImmutableList<QuotaUse>> uses, Function<String, Multiset<String>> waiting) {

    /** By the UID of the quota. */
    private ImmutableMap<String, QuotaFigures> of(String namespace) {
      Multiset<String> claims = waiting.apply(namespace);
      return uses.apply(namespace).stream()
          .collect(
              toImmutableMap(
                  use -> use.limit().uid(),
                  use -> new QuotaFigures(use, claims.count(use.limit().name()))));
    }
  }

  /** What was stored when this was written. */
  private record WrittenStatus(Optional<GpuQuotaStatus> stored, GpuQuotaStatus next) {}

  /**
   * A writer that has written nothing yet.
   *
   * @param leading whether this process leads: only a leader knows which claims wait
   */
  public QuotaStatusWriter(
      QuotaObjects objects, Sums sums, BooleanSupplier leading, Supplier<Instant> now) {
    this.objects = objects;
    this.sums = sums;
    this.leading = leading;
    this.now = now;
  }

  /** Writes each status that differs from the figures. */
  public void runOnce() {
    if (leading.getAsBoolean()) {
      ImmutableList<StoredQuota> all = objects.all();
      written.keySet().retainAll(uids(all));
      Multimaps.index(all, quota -> quota.key().namespace())
          .asMap()
          .forEach((namespace, quotas) -> update(quotas, sums.of(namespace)));
    }
  }

  private void update(Collection<StoredQuota> quotas, ImmutableMap<String, QuotaFigures> byUid) {
    quotas.forEach(
        quota ->
            Optional.ofNullable(byUid.get(quota.uid()))
                .ifPresent(figures -> update(quota, figures)));
  }

  private static ImmutableSet<String> uids(ImmutableList<StoredQuota> all) {
    return all.stream().map(StoredQuota::uid).collect(toImmutableSet());
  }

  private void update(StoredQuota quota, QuotaFigures figures) {
    Optional<GpuQuotaStatus> stored = quota.status().map(QuotaFigures::ours);
    Optional<GpuQuotaStatus> newest =
        Optional.ofNullable(written.get(quota.uid()))
            .filter(last -> last.stored().equals(stored))
            .map(WrittenStatus::next)
            .or(() -> stored);
    GpuQuotaStatus next = figures.status(newest, now.get());
    if (!newest.equals(Optional.of(next)) && settled(objects.write(quota, next))) {
      written.put(quota.uid(), new WrittenStatus(stored, next));
    }
  }

  /** A write that is rejected now would be rejected again. */
  private static boolean settled(WriteOutcome.Kind kind) {
    return switch (kind) {
      case DONE, GONE, REJECTED -> true;
      case CONFLICT, UNCLEAR -> false;
    };
  }
}
