package io.gpudra.controller.app;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.NodeLedger;
import io.gpudra.controller.dra.Reports;
import io.gpudra.controller.dra.Reports.Subject;
import io.gpudra.controller.dra.Reports.Warning;
import io.gpudra.crds.model.Inventory.Service;
import io.gpudra.crds.model.PreparedClaim;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * Counts nodes and devices now and then, and notices what lasts too long. Taken by one thread; the
 * gauges show the last one.
 */
final class Census {
  static final Duration LONGEST_DRAIN = Duration.ofMinutes(5);

  private final Reports reports;
  private final Map<PreparedClaim, Long> drainingSince = new HashMap<>();
  private volatile Counts last = new Counts(0, 0, 0, 0, 0, 0);

  private record Counts(
      int nodes, int serving, int devices, int occupied, int draining, int drainingTooLong) {}

  Census(Reports reports, MetricRegistry metrics) {
    this.reports = reports;
    gauge(metrics, "nodes.withInventory", Counts::nodes);
    gauge(metrics, "nodes.serving", Counts::serving);
    gauge(metrics, "devices.known", Counts::devices);
    gauge(metrics, "devices.occupied", Counts::occupied);
    gauge(metrics, "devices.draining", Counts::draining);
    gauge(metrics, "devices.drainingTooLong", Counts::drainingTooLong);
  }

  private void gauge(MetricRegistry metrics, String name, ToIntFunction<Counts> count) {
    metrics.register(name, (Gauge<Integer>) () -> count.applyAsInt(last));
  }

  /**
   * Takes one.
   *
   * @param nanos monotonic time
   */
  void take(ImmutableList<NodeLedger> ledgers, long nanos) {
    ImmutableList<NodeLedger> published =
        ledgers.stream()
            .filter(ledger -> !(ledger.inventory().service() instanceof Service.Absent))
            .collect(ImmutableList.toImmutableList());
    last =
        new Counts(
            published.size(),
            sum(published, ledger -> ledger.serving() ? 1 : 0),
            sum(published, ledger -> ledger.inventory().gpus().size()),
            sum(published, ledger -> ledger.occupied().size()),
            sum(published, ledger -> ledger.draining().size()),
            watchDraining(published, nanos));
  }

  private static int sum(ImmutableList<NodeLedger> ledgers, ToIntFunction<NodeLedger> count) {
    return ledgers.stream().mapToInt(count).sum();
  }

  private int watchDraining(ImmutableList<NodeLedger> ledgers, long nanos) {
    Map<PreparedClaim, NodeLedger> draining = new HashMap<>();
    ledgers.forEach(ledger -> draining(ledger).forEach(claim -> draining.put(claim, ledger)));
    drainingSince.keySet().retainAll(draining.keySet());
    int tooLong = 0;
    for (Map.Entry<PreparedClaim, NodeLedger> entry : draining.entrySet()) {
      long since = drainingSince.computeIfAbsent(entry.getKey(), claim -> nanos);
      if (nanos - since > LONGEST_DRAIN.toNanos()) {
        tooLong += entry.getKey().deviceUuids().size();
        warn(entry.getKey(), entry.getValue());
      }
    }
    return tooLong;
  }

  private static ImmutableSet<PreparedClaim> draining(NodeLedger ledger) {
    Set<String> draining = ledger.draining();
    return ledger.inventory().prepared().stream()
        .filter(claim -> claim.deviceUuids().stream().anyMatch(draining::contains))
        .collect(ImmutableSet.toImmutableSet());
  }

  private void warn(PreparedClaim claim, NodeLedger ledger) {
    reports.warn(
        new Warning(
            new Subject.OnClaim(claim.ref(), claim.uid()),
            "DeviceDraining",
            ImmutableSet.of(ledger.node()),
            "given back more than 5 minutes ago, but node %s still holds %s for it"
                .formatted(ledger.node(), claim.deviceUuids())));
  }
}
