package io.gpudra.controller.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.GpuStatus;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.process.LabelledCounter;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Counts GPUs by pool, model and status, GPUs in use, and waiting claims. Run by one thread; the
 * gauges {@code gpus}, {@code gpus.held} and {@code claims.waiting} are those of the last run.
 */
public final class GpuStatistics {
  static final String UNKNOWN = "unknown";

  private final String poolLabel;
  private final BooleanSupplier leading;
  private final WaitingClaimCounts waiting;
  private volatile LabelledCounter.Table gpus = noGpus().table();
  private volatile LabelledCounter.Table held = noneHeld().table();
  private volatile LabelledCounter.Table claims = new LabelledCounter("class", "age").table();

  /**
   * Statistics without any count yet.
   *
   * @param poolLabel node label whose value is the pool; empty if there are no pools
   * @param leading whether this process leads; only a leader knows which claims wait
   */
  public GpuStatistics(
      String poolLabel,
      BooleanSupplier leading,
      WaitingClaimCounts waiting,
      MetricRegistry metrics) {
    this.poolLabel = poolLabel;
    this.leading = leading;
    this.waiting = waiting;
    metrics.register("gpus", (Gauge<LabelledCounter.Table>) () -> gpus);
    metrics.register("gpus.held", (Gauge<LabelledCounter.Table>) () -> held);
    metrics.register("claims.waiting", (Gauge<LabelledCounter.Table>) () -> claims);
  }

  private static LabelledCounter noGpus() {
    return new LabelledCounter("pool", "model", "state");
  }

  private static LabelledCounter noneHeld() {
    return new LabelledCounter("pool", "model");
  }

  /** Counts once. */
  public void update(ImmutableList<NodeLedger> ledgers) {
    LabelledCounter byStatus = noGpus();
    LabelledCounter inUse = noneHeld();
    for (NodeLedger ledger : ledgers) {
      FaultIsolation.evaluate(() -> countStatuses(ledger, pool(ledger), byStatus));
      FaultIsolation.evaluate(() -> countHeld(ledger, pool(ledger), inUse));
    }
    gpus = byStatus.table();
    held = inUse.table();
    claims = leading.getAsBoolean() ? waiting.count() : new LabelledCounter("class", "age").table();
  }

  private static void countStatuses(NodeLedger ledger, String pool, LabelledCounter byStatus) {
    ImmutableList<Gpu> listed = ledger.inventory().gpus();
    models(listed).forEach(model -> none(pool, model, byStatus));
    for (int i = 0; i < listed.size(); i++) {
      byStatus.add(1, pool, model(listed.get(i)), ledger.statuses().get(i).label());
    }
    ledger.unlisted().values().forEach(status -> byStatus.add(1, pool, UNKNOWN, status.label()));
  }

  private static void none(String pool, String model, LabelledCounter byStatus) {
    for (GpuStatus status : GpuStatus.values()) {
      byStatus.add(0, pool, model, status.label());
    }
  }

  private static void countHeld(NodeLedger ledger, String pool, LabelledCounter inUse) {
    ImmutableSet<String> occupied = ledger.occupied();
    Set<String> unlisted = new HashSet<>(occupied);
    for (Gpu gpu : ledger.inventory().gpus()) {
      inUse.add(occupied.contains(gpu.uuid()) ? 1 : 0, pool, model(gpu));
      unlisted.remove(gpu.uuid());
    }
    if (!unlisted.isEmpty()) {
      inUse.add(unlisted.size(), pool, UNKNOWN);
    }
  }

  private static Stream<String> models(ImmutableList<Gpu> gpus) {
    return gpus.stream().map(GpuStatistics::model).distinct();
  }

  private static String model(Gpu gpu) {
    return gpu.model().productName();
  }

  /** Prometheus ignores labels with an empty value. */
  private String pool(NodeLedger ledger) {
    String pool = ledger.inventory().node().labels().get(poolLabel);
    return pool == null || pool.isEmpty() ? "none" : pool;
  }
}
