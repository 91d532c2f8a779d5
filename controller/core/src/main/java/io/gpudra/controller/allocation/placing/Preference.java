package io.gpudra.controller.allocation.placing;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.Policy;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;

/**
 * The order in which a node's devices are taken: those whose MIG mode need not be switched first;
 * of these the least nominal memory that will do, so that large GPUs are left for who needs them;
 * then the NUMA node that is used most (pack) or least (spread); then the index.
 *
 * @param used devices that somebody has, as bits
 */
record Preference(ImmutableList<Gpu> gpus, long used) {

  /**
   * What is looked at before the index.
   *
   * @param switched it serves MIG devices until it is needed whole
   * @param neighbours devices of its NUMA node that are used
   */
  record Rank(boolean switched, long nominalMemoryBytes, int neighbours) {

    boolean isBetterThan(Rank other, Policy policy) {
      if (switched != other.switched) {
        return other.switched;
      }
      if (nominalMemoryBytes != other.nominalMemoryBytes) {
        return nominalMemoryBytes < other.nominalMemoryBytes;
      }
      return switch (policy) {
        case PACK -> neighbours > other.neighbours;
        case SPREAD -> neighbours < other.neighbours;
      };
    }
  }

  Preference taking(int device) {
    return new Preference(gpus, used | 1L << device);
  }

  /** The best of a non-empty set. */
  int best(long candidates, Policy policy) {
    int best = Long.numberOfTrailingZeros(candidates);
    Rank rank = rank(best);
    for (long rest = candidates & candidates - 1; rest != 0; rest &= rest - 1) {
      Rank other = rank(Long.numberOfTrailingZeros(rest));
      if (other.isBetterThan(rank, policy)) {
        best = Long.numberOfTrailingZeros(rest);
        rank = other;
      }
    }
    return best;
  }

  /** Those of the set that are of this rank. */
  long ranked(long candidates, Rank rank) {
    long ranked = 0;
    for (long rest = candidates; rest != 0; rest &= rest - 1) {
      ranked |= rank(Long.numberOfTrailingZeros(rest)).equals(rank) ? Long.lowestOneBit(rest) : 0;
    }
    return ranked;
  }

  Rank rank(int device) {
    Gpu gpu = gpus.get(device);
    return new Rank(
        gpu.mig().mode() == MigMode.ENABLED,
        gpu.model().nominalMemoryBytes(),
        usedBeside(gpu.numaNode()));
  }

  private int usedBeside(int numaNode) {
    int count = 0;
    for (int i = 0; i < Math.min(Long.SIZE, gpus.size()); i++) {
      count += gpus.get(i).numaNode() == numaNode && (used >> i & 1) == 1 ? 1 : 0;
    }
    return count;
  }
}
