package io.gpudra.controller.allocation.search;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.Alternative;
import io.gpudra.controller.allocation.request.Together;
import io.gpudra.controller.allocation.request.Wish;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Goes through the alternatives of all claims, the first claim's best first, and through the sets
 * of connected or equal GPUs of each. Confined to one thread.
 */
public final class Finder {
  private final Question question;
  private final Budget budget;
  private final State[] untouched;
  private final Deque<ImmutableList<Demand>> chosen = new ArrayDeque<>();

  private final Map<Way, ImmutableList<Demand>> demands = new HashMap<>();

  /** One choice for a claim. */
  private record Way(int claim, int alternative, Group group) {}

  private Finder(Question question, Budget budget) {
    this.question = question;
    this.budget = budget;
    this.untouched = new State[question.sites().size()];
    Arrays.setAll(untouched, gpu -> State.of(question.sites().get(gpu)));
  }

  public static Finding find(Question question, Budget budget) {
    budget.nextNode();
    Optional<ImmutableList<State>> found = new Finder(question, budget).from(0);
    if (found.isPresent()) {
      return new Finding.Found(found.get());
    }
    return budget.spent() ? new Finding.TooMany() : new Finding.Nothing();
  }

  private Optional<ImmutableList<State>> from(int claim) {
    if (claim == question.claims().size()) {
      return Search.solve(untouched, chosen.stream().flatMap(List::stream).toList(), budget);
    }
    int alternatives = question.claims().get(claim).request().alternatives().size();
    for (int alternative = 0; alternative < alternatives; alternative++) {
      Optional<ImmutableList<State>> found = from(claim, alternative);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<ImmutableList<State>> from(int claim, int alternative) {
    Together together = alternative(claim, alternative).together();
    for (Group group : question.offers().groups(together, budget)) {
      if (!budget.spend()) {
        return Optional.empty();
      }
      ImmutableList<Demand> demands = demands(new Way(claim, alternative, group));
      if (arePossible(demands)) {
        chosen.addLast(demands);
        Optional<ImmutableList<State>> found = from(claim + 1);
        chosen.removeLast();
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private Alternative alternative(int claim, int number) {
    return question.claims().get(claim).request().alternatives().get(number);
  }

  /** Independent of the earlier claims' choices, so each is computed once. */
  private ImmutableList<Demand> demands(Way way) {
    return demands.computeIfAbsent(way, this::read);
  }

  private ImmutableList<Demand> read(Way way) {
    Asking claim = question.claims().get(way.claim());
    ImmutableList.Builder<Demand> demands = ImmutableList.builder();
    for (Wish wish : alternative(way.claim(), way.alternative()).wishes()) {
      demands.add(Demand.of(claim, wish, way.group(), question));
    }
    return demands.build();
  }

  private boolean arePossible(ImmutableList<Demand> demands) {
    for (Demand demand : demands) {
      if (demand.count() < 1 || Capacity.of(demand, untouched) < demand.count()) {
        return false;
      }
    }
    return true;
  }

  /** The result of a search. */
  public sealed interface Finding {

    /** The node's GPUs with all claims served. */
    record Found(ImmutableList<State> gpus) implements Finding {}

    /** There is no solution. */
    record Nothing() implements Finding {}

    /** There may be a solution, but the budget is spent. */
    record TooMany() implements Finding {}
  }
}
