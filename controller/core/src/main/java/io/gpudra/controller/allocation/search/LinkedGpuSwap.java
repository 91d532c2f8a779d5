package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.Inventory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Replaces found GPUs by equivalent ones with links. This applies to whole GPUs, and to those with
 * shares of one claim only. The replacements are unused GPUs, and GPUs for new MIG devices, which
 * need no links. Confined to one thread.
 */
public final class LinkedGpuSwap {
  private final LinkOptimizer linkOptimizer;
  private final SearchBudget budget;
  private final ImmutableList<RequestCandidates> demands;
  private final GpuSearchState[] states;

  private LinkedGpuSwap(
      ImmutableList<GpuSearchState> found, LinkOptimizer linkOptimizer, SearchBudget budget) {
    this.linkOptimizer = linkOptimizer;
    this.budget = budget;
    this.demands =
        found.stream()
            .flatMap(state -> state.assignments().stream())
            .map(GpuAssignment::demand)
            .distinct()
            .collect(toImmutableList());
    this.states = found.toArray(GpuSearchState[]::new);
  }

  /** The node's GPUs with all claims served like before. */
  public static ImmutableList<GpuSearchState> of(
      ImmutableList<GpuSearchState> found, Inventory inventory, SearchBudget budget) {
    if (inventory.links().isEmpty()) {
      return found;
    }
    LinkedGpuSwap linkedGpuSwap =
        new LinkedGpuSwap(found, new LinkOptimizer(LinkGraph.of(inventory)), budget);
    linkedGpuSwap.demands.stream()
        .map(RequestCandidates::claim)
        .distinct()
        .forEach(linkedGpuSwap::link);
    return ImmutableList.copyOf(linkedGpuSwap.states);
  }

  private void link(IndexedClaim claim) {
    ImmutableList<Integer> own = gpus(gpu -> isOnlyOf(claim, states[gpu]));
    if (own.size() > 1) {
      ImmutableList<Integer> others = gpus(gpu -> isToBeCutAtMost(states[gpu]));
      linkOptimizer
          .best(
              new EqualSwap(own, others, ImmutableList.of()),
              Optional.of(new EqualSwap(own, others, own)))
          .ifPresent(best -> move(own, best.instead));
    }
  }

  private ImmutableList<Integer> gpus(IntPredicate which) {
    return IntStream.range(0, states.length).filter(which).boxed().collect(toImmutableList());
  }

  private static boolean isOnlyOf(IndexedClaim claim, GpuSearchState state) {
    return !state.assignments().isEmpty()
        && state.assignments().stream()
            .allMatch(
                gpuAssignment ->
                    (gpuAssignment instanceof GpuAssignment.Whole
                            || gpuAssignment instanceof GpuAssignment.Share)
                        && gpuAssignment.demand().claim().equals(claim));
  }

  private static boolean isToBeCutAtMost(GpuSearchState state) {
    return state.assignments().stream()
        .allMatch(gpuAssignment -> gpuAssignment instanceof GpuAssignment.PlannedMigDevice);
  }

  private void move(ImmutableList<Integer> own, ImmutableList<Integer> instead) {
    GpuSearchState[] before = states.clone();
    List<Integer> left = new ArrayList<>(own);
    left.removeAll(instead);
    for (int i = 0; i < own.size(); i++) {
      GpuCandidate candidate = before[instead.get(i)].candidate();
      states[candidate.index()] = served(candidate, before[own.get(i)].assignments());
      if (!own.contains(candidate.index())) {
        GpuCandidate other = likeOneOf(left, candidate);
        states[other.index()] = before[candidate.index()].madeOn(other);
      }
    }
  }

  /** The first equivalent GPU, which is removed from the list. */
  private GpuCandidate likeOneOf(List<Integer> gpus, GpuCandidate candidate) {
    Integer like =
        gpus.stream()
            .filter(gpu -> DepthFirstSearch.areAlike(states[gpu].candidate(), candidate, demands))
            .findFirst()
            .orElseThrow();
    gpus.remove(like);
    return states[like].candidate();
  }

  private GpuSearchState served(GpuCandidate candidate, ImmutableList<GpuAssignment> assignments) {
    GpuSearchState state = GpuSearchState.of(candidate);
    for (GpuAssignment gpuAssignment : assignments) {
      state = state.after(gpuAssignment.demand(), budget).findFirst().orElseThrow();
    }
    return state;
  }

  /** The devices of a claim, on other GPUs. */
  private final class EqualSwap implements LinkOptimizer.Assignment<EqualSwap> {
    private final ImmutableList<Integer> own;
    private final ImmutableList<Integer> others;
    private final ImmutableList<Integer> instead;

    /**
     * @param instead the replacements of its own GPUs, in their order
     */
    EqualSwap(
        ImmutableList<Integer> own, ImmutableList<Integer> others, ImmutableList<Integer> instead) {
      this.own = own;
      this.others = others;
      this.instead = instead;
    }

    @Override
    public long chosen() {
      return instead.stream().mapToLong(gpu -> 1L << gpu).reduce(0, (a, b) -> a | b);
    }

    @Override
    public boolean isServed() {
      return instead.size() == own.size();
    }

    @Override
    public long next() {
      GpuCandidate given = states[own.get(instead.size())].candidate();
      return IntStream.concat(
              own.stream().mapToInt(gpu -> gpu), others.stream().mapToInt(gpu -> gpu))
          .filter(gpu -> !instead.contains(gpu))
          .filter(gpu -> DepthFirstSearch.areAlike(given, states[gpu].candidate(), demands))
          .mapToLong(gpu -> 1L << gpu)
          .reduce(0, (a, b) -> a | b);
    }

    @Override
    public Optional<EqualSwap> and(int gpu) {
      return Optional.of(
          new EqualSwap(
              own, others, ImmutableList.<Integer>builder().addAll(instead).add(gpu).build()));
    }
  }
}
