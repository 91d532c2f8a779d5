package io.gpudra.controller.allocation.placement;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.placement.WholeGpus.Preference.Rank;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.search.BipartiteMatching;
import io.gpudra.controller.allocation.search.LinkGraph;
import io.gpudra.controller.allocation.search.LinkOptimizer;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.Inventory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Chooses GPUs for claims on a node that has enough GPUs for all of them. The most constrained
 * claim comes first (fewest spare candidates, then UID) and gets the best GPU by {@link Preference}
 * that leaves the others satisfiable. Among choices of equal ranks, one by one, that with the most
 * links wins.
 */
record WholeGpus(WholeGpuMatching matching) {

  /**
   * The devices chosen for a claim.
   *
   * @param rest the remaining demands
   * @param chosen as bits
   * @param ranks of the devices, in the order of their choice
   */
  record ClaimChoice(
      int claim,
      BipartiteMatching rest,
      Preference preference,
      long chosen,
      ImmutableList<Rank> ranks) {

    ClaimChoice and(int device, BipartiteMatching then) {
      return new ClaimChoice(
          claim,
          then,
          preference.with(device),
          chosen | 1L << device,
          ImmutableList.<Rank>builder().addAll(ranks).add(preference.rank(device)).build());
    }

    /** The state before the next claim has a device. */
    ClaimChoice next(int other) {
      return new ClaimChoice(other, rest, preference, 0, ImmutableList.of());
    }
  }

  /**
   * A choice for a claim with devices of the same ranks as another choice.
   *
   * @param ranks of the other choice
   */
  private record EqualChoice(ClaimChoice claimChoice, ImmutableList<Rank> ranks)
      implements LinkOptimizer.Assignment<EqualChoice> {

    @Override
    public long chosen() {
      return claimChoice.chosen();
    }

    @Override
    public boolean isServed() {
      return claimChoice.ranks().size() == ranks.size();
    }

    @Override
    public long next() {
      long candidates = claimChoice.rest().candidates(claimChoice.claim());
      return claimChoice.preference().ranked(candidates, ranks.get(claimChoice.ranks().size()));
    }

    @Override
    public Optional<EqualChoice> and(int gpu) {
      BipartiteMatching then = claimChoice.rest().after(claimChoice.claim(), gpu);
      return then.satisfiable()
          ? Optional.of(new EqualChoice(claimChoice.and(gpu, then), ranks))
          : Optional.empty();
    }
  }

  /** One choice for each claim. */
  List<ClaimChoice> served() {
    List<ClaimChoice> ranked = ranked();
    Inventory inventory = matching.ledger().inventory();
    return inventory.links().isEmpty() || !wantsSeveral()
        ? ranked
        : linked(ranked, new LinkOptimizer(LinkGraph.of(inventory))).orElse(ranked);
  }

  private boolean wantsSeveral() {
    return matching.open().stream().anyMatch(claim -> claim.only().count() > 1);
  }

  private ClaimChoice noneServed() {
    Preference preference =
        new Preference(matching.ledger().inventory().gpus(), ~matching.ledger().freeMask());
    return new ClaimChoice(0, matching.bipartiteMatching(), preference, 0, ImmutableList.of());
  }

  private List<ClaimChoice> ranked() {
    List<ClaimChoice> all = new ArrayList<>();
    ClaimChoice claimChoice = noneServed();
    for (int claim : mostConstrainedFirst()) {
      claimChoice = claimChoice.next(claim);
      while (claimChoice.rest().wants(claim)) {
        claimChoice = ranked(claimChoice, matching.open().get(claim).policy());
      }
      all.add(claimChoice);
    }
    return all;
  }

  private int[] mostConstrainedFirst() {
    return IntStream.range(0, matching.open().size())
        .boxed()
        .sorted(Comparator.comparing(matching.bipartiteMatching()::slack))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private static ClaimChoice ranked(ClaimChoice claimChoice, AllocationPolicy policy) {
    long candidates = claimChoice.rest().candidates(claimChoice.claim());
    while (true) {
      int device = claimChoice.preference().best(candidates, policy);
      BipartiteMatching then = claimChoice.rest().after(claimChoice.claim(), device);
      if (then.satisfiable()) {
        return claimChoice.and(device, then);
      }
      candidates &= ~(1L << device);
    }
  }

  /** Empty when the links of one claim leave another claim with devices of other ranks. */
  private Optional<List<ClaimChoice>> linked(
      List<ClaimChoice> ranked, LinkOptimizer linkOptimizer) {
    List<ClaimChoice> all = new ArrayList<>();
    ClaimChoice before = noneServed();
    boolean same = true;
    for (ClaimChoice one : ranked) {
      EqualChoice start = new EqualChoice(before.next(one.claim()), one.ranks());
      Optional<EqualChoice> found =
          linkOptimizer.best(
              start, same ? Optional.of(new EqualChoice(one, one.ranks())) : Optional.empty());
      if (found.isEmpty()) {
        return Optional.empty();
      }
      before = found.get().claimChoice();
      same &= before.chosen() == one.chosen();
      all.add(before);
    }
    return Optional.of(all);
  }

  /**
   * The order in which a node's devices are allocated. Devices without a switch of MIG mode come
   * first; then those with the least nominal memory, so that large GPUs remain for claims that need
   * them; then the NUMA node that is used most (pack) or least (spread); then the index.
   *
   * @param used the devices in use, as bits
   */
  record Preference(ImmutableList<Gpu> gpus, long used) {

    /**
     * The criteria before the index.
     *
     * @param switched whether MIG mode is on, which must be off for a whole GPU
     * @param neighbours the number of used devices of its NUMA node
     */
    record Rank(boolean switched, long nominalMemoryBytes, int neighbours) {

      boolean isBetterThan(Rank other, AllocationPolicy policy) {
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

    Preference with(int device) {
      return new Preference(gpus, used | 1L << device);
    }

    /** The best of a non-empty set. */
    int best(long candidates, AllocationPolicy policy) {
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

    /** The devices of the set that have this rank. */
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
}
