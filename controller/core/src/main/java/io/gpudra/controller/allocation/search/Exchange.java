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
public final class Exchange {
  private final Linking linking;
  private final Budget budget;
  private final ImmutableList<Demand> demands;
  private final State[] states;

  private Exchange(ImmutableList<State> found, Linking linking, Budget budget) {
    this.linking = linking;
    this.budget = budget;
    this.demands =
        found.stream()
            .flatMap(state -> state.picks().stream())
            .map(Pick::by)
            .distinct()
            .collect(toImmutableList());
    this.states = found.toArray(State[]::new);
  }

  /** The node's GPUs with all claims served like before. */
  public static ImmutableList<State> of(
      ImmutableList<State> found, Inventory inventory, Budget budget) {
    if (inventory.links().isEmpty()) {
      return found;
    }
    Exchange exchange = new Exchange(found, new Linking(Links.of(inventory)), budget);
    exchange.demands.stream().map(Demand::claim).distinct().forEach(exchange::link);
    return ImmutableList.copyOf(exchange.states);
  }

  private void link(Asking claim) {
    ImmutableList<Integer> own = gpus(gpu -> isOnlyOf(claim, states[gpu]));
    if (own.size() > 1) {
      ImmutableList<Integer> others = gpus(gpu -> isToBeCutAtMost(states[gpu]));
      linking
          .best(
              new Likewise(own, others, ImmutableList.of()),
              Optional.of(new Likewise(own, others, own)))
          .ifPresent(best -> move(own, best.instead));
    }
  }

  private ImmutableList<Integer> gpus(IntPredicate which) {
    return IntStream.range(0, states.length).filter(which).boxed().collect(toImmutableList());
  }

  private static boolean isOnlyOf(Asking claim, State state) {
    return !state.picks().isEmpty()
        && state.picks().stream()
            .allMatch(
                pick ->
                    (pick instanceof Pick.Whole || pick instanceof Pick.Share)
                        && pick.by().claim().equals(claim));
  }

  private static boolean isToBeCutAtMost(State state) {
    return state.picks().stream().allMatch(pick -> pick instanceof Pick.Made);
  }

  private void move(ImmutableList<Integer> own, ImmutableList<Integer> instead) {
    State[] before = states.clone();
    List<Integer> left = new ArrayList<>(own);
    left.removeAll(instead);
    for (int i = 0; i < own.size(); i++) {
      Site site = before[instead.get(i)].site();
      states[site.index()] = served(site, before[own.get(i)].picks());
      if (!own.contains(site.index())) {
        Site other = likeOneOf(left, site);
        states[other.index()] = before[site.index()].madeOn(other);
      }
    }
  }

  /** The first equivalent GPU, which is removed from the list. */
  private Site likeOneOf(List<Integer> gpus, Site site) {
    Integer like =
        gpus.stream()
            .filter(gpu -> Search.areAlike(states[gpu].site(), site, demands))
            .findFirst()
            .orElseThrow();
    gpus.remove(like);
    return states[like].site();
  }

  private State served(Site site, ImmutableList<Pick> picks) {
    State state = State.of(site);
    for (Pick pick : picks) {
      state = state.after(pick.by(), budget).findFirst().orElseThrow();
    }
    return state;
  }

  /** The devices of a claim, on other GPUs. */
  private final class Likewise implements Linking.Way<Likewise> {
    private final ImmutableList<Integer> own;
    private final ImmutableList<Integer> others;
    private final ImmutableList<Integer> instead;

    /**
     * @param instead the replacements of its own GPUs, in their order
     */
    Likewise(
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
      Site given = states[own.get(instead.size())].site();
      return IntStream.concat(
              own.stream().mapToInt(gpu -> gpu), others.stream().mapToInt(gpu -> gpu))
          .filter(gpu -> !instead.contains(gpu))
          .filter(gpu -> Search.areAlike(given, states[gpu].site(), demands))
          .mapToLong(gpu -> 1L << gpu)
          .reduce(0, (a, b) -> a | b);
    }

    @Override
    public Optional<Likewise> and(int gpu) {
      return Optional.of(
          new Likewise(
              own, others, ImmutableList.<Integer>builder().addAll(instead).add(gpu).build()));
    }
  }
}
