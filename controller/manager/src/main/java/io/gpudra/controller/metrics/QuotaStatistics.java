package io.gpudra.controller.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Multiset;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.controller.quota.QuotaUse;
import io.gpudra.process.LabelledCounter;
import io.gpudra.process.LabelledCounter.Table;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The gauges {@code quota.used}, {@code quota.hard} and {@code quota.waiting}, computed when they
 * are read.
 *
 * @param uses of all namespaces with quotas
 * @param waiting the number of claims of a namespace that wait because of each quota
 * @param leading whether this process leads; only a leader knows which claims wait
 */
public record QuotaStatistics(
    Supplier<? extends Map<String, ImmutableList<QuotaUse>>> uses,
    Function<String, Multiset<String>> waiting,
    BooleanSupplier leading) {
  private static final String GPUS = "gpus";
  private static final String MEMORY = "memory";

  /** Shows the gauges from now on. */
  public void register(MetricRegistry metrics) {
    metrics.register("quota.used", (Gauge<Table>) this::used);
    metrics.register("quota.hard", (Gauge<Table>) this::hard);
    metrics.register("quota.waiting", (Gauge<Table>) this::waitingClaims);
  }

  private Table used() {
    LabelledCounter counts = new LabelledCounter("namespace", "quota", "resource");
    forEach(
        (namespace, use) -> {
          QuotaLimit limit = use.limit();
          limit
              .thousandths()
              .ifPresent(
                  unused -> counts.add(use.used().thousandths(), namespace, limit.name(), GPUS));
          limit
              .bytes()
              .ifPresent(unused -> counts.add(use.used().bytes(), namespace, limit.name(), MEMORY));
        });
    return counts.table();
  }

  private Table hard() {
    LabelledCounter counts = new LabelledCounter("namespace", "quota", "resource");
    forEach(
        (namespace, use) -> {
          QuotaLimit limit = use.limit();
          limit.thousandths().ifPresent(most -> counts.add(most, namespace, limit.name(), GPUS));
          limit.bytes().ifPresent(most -> counts.add(most, namespace, limit.name(), MEMORY));
        });
    return counts.table();
  }

  private Table waitingClaims() {
    LabelledCounter counts = new LabelledCounter("namespace", "quota");
    shown()
        .forEach(
            (namespace, all) -> {
              Multiset<String> claims = waiting.apply(namespace);
              all.stream()
                  .map(use -> use.limit().name())
                  .forEach(quota -> counts.add(claims.count(quota), namespace, quota));
            });
    return counts.table();
  }

  private void forEach(BiConsumer<String, QuotaUse> quota) {
    shown().forEach((namespace, all) -> all.forEach(use -> quota.accept(namespace, use)));
  }

  private Map<String, ImmutableList<QuotaUse>> shown() {
    return leading.getAsBoolean() ? uses.get() : ImmutableMap.of();
  }
}
