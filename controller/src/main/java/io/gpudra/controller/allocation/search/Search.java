package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingInt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.primitives.ImmutableLongArray;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Finds devices for demands that all must be served: depth first, the most constrained demand first
 * but nobody before whom it is carved out of, each time what {@link Liking} prefers. Equal GPUs are
 * tried once, and what was refuted is not tried again in another order. Confined to one thread.
 */
final class Search {
  private final Budget budget;
  private final State[] states;
  private final Integer[] kinds;
  private final ImmutableList<Demand> demands;
  private final Set<Refuted> refuted = new HashSet<>();

  /** Equal contents of equal GPUs have one number. */
  private final Map<Equal, Long> numbers = new HashMap<>();

  /** By GPU: the number of what it holds. */
  private final long[] holding;

  /**
   * A demand and its place in the order.
   *
   * @param devices that it could lose at most
   */
  private record Slack(Demand demand, int devices) {}

  private static final Comparator<Slack> LEAST_SLACK_FIRST =
      comparingInt((Slack one) -> one.demand.claim().depth())
          .thenComparingInt(Slack::devices)
          .thenComparing(one -> one.demand.request().uid())
          .thenComparing(one -> one.demand.wish().name().orElse(""));

  private record Equal(Integer kind, ImmutableMultiset<Object> what) {}

  private record Refuted(int demand, int remaining, ImmutableLongArray gpus) {}

  private Search(ImmutableList<Site> sites, List<Demand> demands, Budget budget) {
    this.budget = budget;
    this.states = sites.stream().map(State::of).toArray(State[]::new);
    this.demands =
        demands.stream()
            .map(demand -> new Slack(demand, Capacity.of(demand, states) - demand.count()))
            .sorted(LEAST_SLACK_FIRST)
            .map(Slack::demand)
            .collect(toImmutableList());
    Map<Kind, Integer> known = new HashMap<>();
    this.kinds =
        sites.stream()
            .map(site -> known.computeIfAbsent(Kind.of(site, this.demands), k -> known.size()))
            .toArray(Integer[]::new);
    this.holding = IntStream.range(0, states.length).mapToLong(this::number).toArray();
  }

  private long number(int gpu) {
    Equal what = new Equal(kinds[gpu], states[gpu].what());
    return numbers.computeIfAbsent(what, unused -> (long) numbers.size());
  }

  /** The node's GPUs with all demands served; empty when there is no way or the budget is spent. */
  static Optional<ImmutableList<State>> solve(
      ImmutableList<Site> sites, List<Demand> demands, Budget budget) {
    Search search = new Search(sites, demands, budget);
    return search.served(0) ? Optional.of(ImmutableList.copyOf(search.states)) : Optional.empty();
  }

  private boolean served(int demand) {
    return demand == demands.size() || served(demand, demands.get(demand).count());
  }

  private boolean served(int demand, int remaining) {
    if (remaining == 0) {
      return served(demand + 1);
    }
    if (!budget.spend() || Capacity.lacks(demands, demand, remaining, states)) {
      return false;
    }
    Refuted here = new Refuted(demand, remaining, gpus());
    if (refuted.contains(here)) {
      return false;
    }
    for (State next : choices(demands.get(demand))) {
      int gpu = next.site().index();
      State before = states[gpu];
      become(gpu, next);
      if (served(demand, remaining - 1)) {
        return true;
      }
      become(gpu, before);
    }
    refuted.add(here);
    return false;
  }

  private void become(int gpu, State state) {
    states[gpu] = state;
    holding[gpu] = number(gpu);
  }

  private ImmutableLongArray gpus() {
    long[] sorted = holding.clone();
    Arrays.sort(sorted);
    return ImmutableLongArray.copyOf(sorted);
  }

  private List<State> choices(Demand demand) {
    Set<Long> tried = new HashSet<>();
    List<State> choices = new ArrayList<>();
    for (int gpu = 0; gpu < states.length; gpu++) {
      if (tried.add(holding[gpu])) {
        states[gpu].after(demand).forEach(choices::add);
      }
    }
    choices.sort(new Liking(demand, Arrays.asList(states)));
    return choices;
  }
}
