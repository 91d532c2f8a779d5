package io.gpudra.controller.view;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.controller.quota.QuotaUse;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.crds.api.quota.GpuAmount;
import io.gpudra.crds.model.MemorySize;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * What is used of one resource of a quota.
 *
 * @param quota its name in the namespace
 * @param resource {@code gpus} or {@code memory}
 * @param share the used part of the limit; more than 1 after it was lowered
 */
public record QuotaUsage(
    String namespace, String quota, String resource, String used, String hard, double share) {
  private static final Comparator<QuotaUsage> FULLEST_FIRST =
      Comparator.comparingDouble((QuotaUsage usage) -> usage.share())
          .reversed()
          .thenComparing(QuotaUsage::namespace)
          .thenComparing(QuotaUsage::quota)
          .thenComparing(QuotaUsage::resource);

  /** The resources that the quota limits. */
  public static ImmutableList<QuotaUsage> of(String namespace, QuotaUse use) {
    QuotaLimit limit = use.limit();
    Stream<QuotaUsage> gpus =
        limit.thousandths().stream()
            .mapToObj(
                hard ->
                    new QuotaUsage(
                        namespace,
                        limit.name(),
                        "gpus",
                        new GpuAmount(use.used().thousandths()).text(),
                        new GpuAmount(hard).text(),
                        part(use.used().thousandths(), hard)));
    Stream<QuotaUsage> memory =
        limit.bytes().stream()
            .mapToObj(
                hard ->
                    new QuotaUsage(
                        namespace,
                        limit.name(),
                        "memory",
                        MemorySize.text(use.used().bytes()),
                        MemorySize.text(hard),
                        part(use.used().bytes(), hard)));
    return Stream.concat(gpus, memory).collect(toImmutableList());
  }

  /** A limit of nothing is reached. */
  private static double part(long used, long hard) {
    return hard == 0 ? 1 : (double) used / hard;
  }

  /** All quotas of the cluster, the fullest first. */
  public static ImmutableList<QuotaUsage> all(ClusterSnapshot cluster) {
    return cluster.quotas().uses().entrySet().stream()
        .flatMap(
            namespace ->
                namespace.getValue().stream().flatMap(use -> of(namespace.getKey(), use).stream()))
        .sorted(FULLEST_FIRST)
        .collect(toImmutableList());
  }
}
