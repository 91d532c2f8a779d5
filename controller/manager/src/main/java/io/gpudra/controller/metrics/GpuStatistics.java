package io.gpudra.controller.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.process.LabelledCounter;
import java.util.function.BooleanSupplier;

/**
 * Counts GPUs by pool, model and state, and waiting claims. Run by one thread; the gauges {@code
 * gpus} and {@code claims.waiting} are those of the last run.
 */
public final class GpuStatistics {
  private final String poolLabel;
  private final BooleanSupplier leading;
  private final WaitingClaimCounts waiting;
  private volatile LabelledCounter.Table gpus = noGpus().table();
  private volatile LabelledCounter.Table claims = new LabelledCounter("class", "age").table();

  /**
   * Counts nothing yet.
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
    metrics.register("claims.waiting", (Gauge<LabelledCounter.Table>) () -> claims);
  }

  private static LabelledCounter noGpus() {
    return new LabelledCounter("pool", "model", "state");
  }

  /** Counts once. */
  public void take(ImmutableList<NodeLedger> ledgers) {
    LabelledCounter labelledCounter = noGpus();
    ledgers.forEach(
        ledger ->
            FaultIsolation.around(() -> GpuState.count(ledger, pool(ledger), labelledCounter)));
    gpus = labelledCounter.table();
    claims = leading.getAsBoolean() ? waiting.count() : new LabelledCounter("class", "age").table();
  }

  /** Prometheus ignores labels with an empty value. */
  private String pool(NodeLedger ledger) {
    String pool = ledger.inventory().node().labels().get(poolLabel);
    return pool == null || pool.isEmpty() ? "none" : pool;
  }
}
