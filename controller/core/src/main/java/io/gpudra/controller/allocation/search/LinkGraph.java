package io.gpudra.controller.allocation.search;

import com.google.common.primitives.ImmutableLongArray;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.Inventory;
import java.util.List;

/**
 * The GPUs of a node that reach each other without the PCIe bus.
 *
 * @param neighbours by GPU, the linked GPUs, as bits
 */
public record LinkGraph(ImmutableLongArray neighbours) {

  public static LinkGraph of(Inventory inventory) {
    List<Gpu> gpus = inventory.gpus();
    long[] neighbours = new long[Math.min(Long.SIZE, gpus.size())];
    for (GpuLink link : inventory.links()) {
      long ends = 0;
      for (int i = 0; i < neighbours.length; i++) {
        ends |= link.gpuUuids().contains(gpus.get(i).uuid()) ? 1L << i : 0;
      }
      for (long left = ends; left != 0; left &= left - 1) {
        neighbours[Long.numberOfTrailingZeros(left)] |= ends & ~Long.lowestOneBit(left);
      }
    }
    return new LinkGraph(ImmutableLongArray.copyOf(neighbours));
  }

  /** The GPUs that this one is linked to. */
  long of(int gpu) {
    return neighbours.get(gpu);
  }

  /** The number of linked pairs in the set. */
  int within(long gpus) {
    int ends = 0;
    for (long left = gpus; left != 0; left &= left - 1) {
      ends += Long.bitCount(of(Long.numberOfTrailingZeros(left)) & gpus);
    }
    return ends / 2;
  }
}
