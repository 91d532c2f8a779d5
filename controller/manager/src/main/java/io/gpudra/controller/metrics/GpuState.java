package io.gpudra.controller.metrics;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.process.LabelledCounter;

/** State of a GPU for new claims; if several apply, the first one. */
enum GpuState {
  /** Allocated, but its node no longer lists it, or its plugin reports it as lost. */
  LOST,
  /** Allocated, at least in part. */
  GRANTED,
  /** Prepared, but no longer allocated. */
  DRAINING,
  /** Its node gets no new allocations: it is silent or not ready. */
  STALE,
  /** Only claims that tolerate its taint can be allocated on it. */
  TAINTED,
  FREE;

  static final String UNKNOWN = "unknown";

  String label() {
    return Ascii.toLowerCase(name());
  }

  /** Counts the GPUs of a node by pool, model and state. */
  static void count(NodeLedger ledger, String pool, LabelledCounter labelledCounter) {
    ImmutableSet<String> draining = ledger.draining();
    ImmutableSet<String> granted = Sets.difference(ledger.occupied(), draining).immutableCopy();
    ledger.inventory().gpus().stream()
        .map(gpu -> gpu.model().productName())
        .distinct()
        .forEach(model -> none(pool, model, labelledCounter));
    for (Gpu gpu : ledger.inventory().gpus()) {
      GpuState state = of(gpu, ledger.serving(), granted, draining);
      labelledCounter.add(1, pool, gpu.model().productName(), state.label());
    }
    int lost =
        ledger.lost().values().stream()
            .flatMap(ImmutableSet::stream)
            .collect(toImmutableSet())
            .size();
    if (lost > 0) {
      labelledCounter.add(lost, pool, UNKNOWN, LOST.label());
    }
  }

  private static void none(String pool, String model, LabelledCounter labelledCounter) {
    for (GpuState state : values()) {
      labelledCounter.add(0, pool, model, state.label());
    }
  }

  private static GpuState of(
      Gpu gpu, boolean serving, ImmutableSet<String> granted, ImmutableSet<String> draining) {
    if (gpu.taints().stream().anyMatch(DeviceTaint::tellsOfLoss)) {
      return LOST;
    }
    if (granted.contains(gpu.uuid())) {
      return GRANTED;
    }
    if (draining.contains(gpu.uuid())) {
      return DRAINING;
    }
    if (!serving) {
      return STALE;
    }
    return gpu.taints().isEmpty() ? FREE : TAINTED;
  }
}
