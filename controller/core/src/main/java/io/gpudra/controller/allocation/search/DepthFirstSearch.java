package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingInt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.primitives.ImmutableIntArray;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds devices for all demands. The search is depth first, with the most constrained demand first,
 * but no demand before its parent, and the choices in the order of {@link CandidateOrder}. Only one
 * of equal GPUs is tried, and a refuted state is not tried again in another order. Confined to one
 * thread.
 */
final class DepthFirstSearch {
  private static final int NOT_KNOWN = -1;

  private final SearchBudget budget;
  private final GpuSearchState[] states;
  private final int[] kinds;
  private final ImmutableList<RequestCandidates> demands;
  private final Set<DeadEnd> refuted = new HashSet<>();

  /** Equal contents of GPUs of one kind have one number; empty GPUs have that of their kind. */
  private final Map<GpuClass, Integer> numbers = new HashMap<>();

  /** By GPU: the number of its contents, or {@link #NOT_KNOWN} before the first use. */
  private final int[] holding;

  /**
   * A demand and its place in the order.
   *
   * @param devices the number of devices that it could lose
   */
  private record OrderedDemand(RequestCandidates candidates, int devices) {}

  private static final Comparator<OrderedDemand> MIN_SLACK_FIRST =
      comparingInt((OrderedDemand one) -> one.candidates.claim().depth())
          .thenComparingInt(OrderedDemand::devices);

  private record GpuClass(int kind, ImmutableMultiset<Object> signature) {}

  private record DeadEnd(int demand, int remaining, ImmutableIntArray gpus) {}

  private DepthFirstSearch(
      GpuSearchState[] untouched, List<RequestCandidates> demands, SearchBudget budget) {
    this.budget = budget;
    this.states = untouched.clone();
    this.demands =
        demands.stream()
            .map(
                candidates ->
                    new OrderedDemand(
                        candidates, CapacityBounds.of(candidates, states) - candidates.count()))
            .sorted(MIN_SLACK_FIRST)
            .map(OrderedDemand::candidates)
            .collect(toImmutableList());
    int[] likings = new int[states.length];
    Arrays.setAll(likings, gpu -> preferenceHash(states[gpu].candidate()));
    this.kinds = new int[states.length];
    Arrays.setAll(kinds, gpu -> firstLike(gpu, likings));
    this.holding = kinds.clone();
  }

  private int preferenceHash(GpuCandidate candidate) {
    int liking = 0;
    for (RequestCandidates candidates : demands) {
      liking = 31 * liking + candidates.preferenceHash(candidate);
    }
    return liking;
  }

  /** The first equivalent GPU, or the GPU itself if none comes before it. */
  private int firstLike(int gpu, int[] likings) {
    int first = 0;
    while (first < gpu
        && (likings[first] != likings[gpu]
            || !areAlike(states[first].candidate(), states[gpu].candidate(), demands))) {
      first++;
    }
    return first;
  }

  /** Whether the GPUs are equivalent for all demands. */
  static boolean areAlike(GpuCandidate one, GpuCandidate other, List<RequestCandidates> demands) {
    if (one.kind() != other.kind()) {
      return false;
    }
    for (RequestCandidates candidates : demands) {
      if (!candidates.acceptsEqually(one, other)) {
        return false;
      }
    }
    return true;
  }

  private int holding(int gpu) {
    if (holding[gpu] == NOT_KNOWN) {
      holding[gpu] = number(gpu);
    }
    return holding[gpu];
  }

  private int number(int gpu) {
    if (states[gpu].assignments().isEmpty()) {
      return kinds[gpu];
    }
    GpuClass what = new GpuClass(kinds[gpu], states[gpu].signature());
    return numbers.computeIfAbsent(what, unused -> states.length + numbers.size());
  }

  /**
   * The node's GPUs with all demands served; empty without a solution or after the budget is spent.
   *
   * @param untouched the GPUs before any choice
   */
  static Optional<ImmutableList<GpuSearchState>> solve(
      GpuSearchState[] untouched, List<RequestCandidates> demands, SearchBudget budget) {
    DepthFirstSearch search = new DepthFirstSearch(untouched, demands, budget);
    return search.served(0) ? Optional.of(ImmutableList.copyOf(search.states)) : Optional.empty();
  }

  private boolean served(int demand) {
    return demand == demands.size() || served(demand, demands.get(demand).count());
  }

  private boolean served(int demand, int remaining) {
    if (remaining == 0) {
      return served(demand + 1);
    }
    if (!budget.spend() || CapacityBounds.lacks(demands, demand, remaining, states)) {
      return false;
    }
    DeadEnd here = new DeadEnd(demand, remaining, gpus());
    if (refuted.contains(here)) {
      return false;
    }
    for (GpuSearchState next : choices(demands.get(demand))) {
      int gpu = next.candidate().index();
      GpuSearchState before = states[gpu];
      become(gpu, next);
      if (served(demand, remaining - 1)) {
        return true;
      }
      become(gpu, before);
    }
    refuted.add(here);
    return false;
  }

  private void become(int gpu, GpuSearchState state) {
    states[gpu] = state;
    holding[gpu] = NOT_KNOWN;
  }

  private ImmutableIntArray gpus() {
    int[] sorted = new int[states.length];
    Arrays.setAll(sorted, this::holding);
    Arrays.sort(sorted);
    return ImmutableIntArray.copyOf(sorted);
  }

  private List<GpuSearchState> choices(RequestCandidates candidates) {
    List<GpuSearchState> choices = new ArrayList<>();
    for (int gpu = 0; gpu < states.length; gpu++) {
      if (isFirstOfItsKind(gpu)) {
        states[gpu].after(candidates, budget).forEach(choices::add);
      }
    }
    if (choices.size() > 1) {
      choices.sort(new CandidateOrder(candidates, Arrays.asList(states)));
    }
    return choices;
  }

  private boolean isFirstOfItsKind(int gpu) {
    for (int before = 0; before < gpu; before++) {
      if (holding(before) == holding(gpu)) {
        return false;
      }
    }
    return true;
  }
}
