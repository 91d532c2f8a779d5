package io.gpudra.controller.allocation.ledger;

import com.google.common.base.Ascii;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.usage.GpuUsage;
import io.gpudra.crds.usage.RemainingCapacity;

/** What new claims can expect of a GPU. If several apply, the first one counts. */
public enum GpuStatus {
  /** A claim holds it and its node does not list it, or its plugin reports it as lost. */
  LOST,
  /**
   * Its node gets no new allocations: it is silent or not ready, has an unreadable handle, or no
   * inventory of it can be read.
   */
  STALE,
  /** A taint, or foreign MIG devices, prevent new allocations; present holders keep it. */
  TAINTED,
  /** The GPU, or a part of it, is deallocated but still prepared on its node. */
  DRAINING,
  /** The GPU is allocated, and nothing of it is free. */
  GRANTED,
  /** Some parts of it are allocated or foreign, others are free. */
  PARTLY_FREE,
  /** No claim holds any part of it. */
  FREE;

  /** The name in metrics and commands. */
  public String label() {
    return Ascii.toLowerCase(name());
  }

  /**
   * The status of a GPU that its node lists.
   *
   * @param acceptsClaims whether its node takes new claims
   * @param leftover whether a part of it is prepared for a claim that no longer holds it
   */
  static GpuStatus of(Gpu gpu, GpuUsage usage, boolean acceptsClaims, boolean leftover) {
    if (gpu.taints().stream().anyMatch(DeviceTaint::concernsLoss)) {
      return LOST;
    }
    if (!acceptsClaims) {
      return STALE;
    }
    if (!gpu.taints().isEmpty()) {
      return TAINTED;
    }
    return leftover ? DRAINING : ofRest(gpu, usage);
  }

  private static GpuStatus ofRest(Gpu gpu, GpuUsage usage) {
    boolean held = !usage.holdings().isEmpty();
    if (!held && !LedgerFindings.hasOthersSlices(gpu)) {
      return FREE;
    }
    if (new RemainingCapacity(gpu, usage).any()) {
      return PARTLY_FREE;
    }
    return held ? GRANTED : TAINTED;
  }
}
