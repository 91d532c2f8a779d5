package io.gpudra.controller.allocation.search;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.cutting.Effort;
import io.gpudra.controller.allocation.request.Together.By;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import java.util.ArrayList;
import java.util.List;

/** Sets of GPUs every pair of which is connected, each as large as it can be. */
final class Connected {
  private final Links links;
  private final Effort effort;
  private final List<Group> found = new ArrayList<>();

  private Connected(Links links, Effort effort) {
    this.links = links;
    this.effort = effort;
  }

  /** A graph of 64 GPUs may have more sets than anybody could search: then some of them. */
  static List<Group> by(By connection, Inventory inventory, Effort effort) {
    return switch (connection) {
      case PCIE -> Group.byValue(inventory, Gpu::pcieRoot);
      case NUMA -> numa(inventory);
      case NVLINK -> linked(inventory, effort);
    };
  }

  /** A machine that says -1 of all its GPUs is one NUMA node. */
  static List<Group> numa(Inventory inventory) {
    return inventory.gpus().stream().allMatch(gpu -> gpu.numaNode() < 0)
        ? List.of(Group.ALL)
        : Group.byValue(
            inventory, gpu -> gpu.numaNode() < 0 ? "" : Integer.toString(gpu.numaNode()));
  }

  private static List<Group> linked(Inventory inventory, Effort effort) {
    int gpus = Math.min(Long.SIZE, inventory.gpus().size());
    Connected cliques = new Connected(Links.of(inventory), effort);
    cliques.extend(0, gpus == Long.SIZE ? -1 : (1L << gpus) - 1, 0);
    return cliques.found;
  }

  /** Bron and Kerbosch, with the best connected GPU as pivot. */
  private void extend(long clique, long candidates, long excluded) {
    if (!Group.mayLook(effort)) {
      return;
    }
    if (candidates == 0) {
      if (excluded == 0) {
        found.add(new Group(clique, ImmutableMap.of()));
      }
      return;
    }
    long left = candidates;
    long out = excluded;
    for (long next = candidates & ~links.of(pivot(candidates | excluded, candidates));
        next != 0;
        next &= next - 1) {
      int gpu = Long.numberOfTrailingZeros(next);
      extend(clique | 1L << gpu, left & links.of(gpu), out & links.of(gpu));
      left &= ~(1L << gpu);
      out |= 1L << gpu;
    }
  }

  private int pivot(long among, long candidates) {
    int best = Long.numberOfTrailingZeros(among);
    for (long rest = among & among - 1; rest != 0; rest &= rest - 1) {
      int gpu = Long.numberOfTrailingZeros(rest);
      if (Long.bitCount(links.of(gpu) & candidates) > Long.bitCount(links.of(best) & candidates)) {
        best = gpu;
      }
    }
    return best;
  }
}
