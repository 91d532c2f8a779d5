package io.gpudra.controller.allocation.placing;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.Policy;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;

/**
 * The order in which a node's devices are taken: those whose MIG mode need not be switched first;
 * of these the least nominal memory that will do, so that large GPUs are left for who needs them;
 * then the NUMA node that is used most (pack) or least (spread); then the index.
 */
final class Preference {

  private final ImmutableList<Gpu> gpus;
  private long used;

  Preference(ImmutableList<Gpu> gpus, long free) {
    this.gpus = gpus;
    this.used = ~free;
  }

  void take(int device) {
    used |= 1L << device;
  }

  /** The best of a non-empty set. */
  int best(long candidates, Policy policy) {
    int best = Long.numberOfTrailingZeros(candidates);
    for (long rest = candidates & candidates - 1; rest != 0; rest &= rest - 1) {
      int device = Long.numberOfTrailingZeros(rest);
      best = better(device, best, policy) ? device : best;
    }
    return best;
  }

  private boolean better(int device, int best, Policy policy) {
    if (isSwitched(device) != isSwitched(best)) {
      return isSwitched(best);
    }
    long saved = nominalMemory(best) - nominalMemory(device);
    if (saved != 0) {
      return saved > 0;
    }
    int neighbours = usedBeside(device) - usedBeside(best);
    return switch (policy) {
      case PACK -> neighbours > 0;
      case SPREAD -> neighbours < 0;
    };
  }

  /** Whether it serves MIG devices until it is needed whole. */
  private boolean isSwitched(int device) {
    return gpus.get(device).mig().mode() == MigMode.ENABLED;
  }

  private long nominalMemory(int device) {
    return gpus.get(device).model().nominalMemoryBytes();
  }

  private int usedBeside(int device) {
    int numaNode = gpus.get(device).numaNode();
    int count = 0;
    for (int i = 0; i < Math.min(Long.SIZE, gpus.size()); i++) {
      count += gpus.get(i).numaNode() == numaNode && (used >> i & 1) == 1 ? 1 : 0;
    }
    return count;
  }
}
