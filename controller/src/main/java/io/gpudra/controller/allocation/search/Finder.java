package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.Alternative;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Together;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Goes through the alternatives of all claims, the first claim's best first, and through the sets
 * of connected or equal GPUs of each. Confined to one thread.
 */
final class Finder {
  private final Question question;
  private final Budget budget;
  private final State[] untouched;
  private final Deque<ImmutableList<Demand>> chosen = new ArrayDeque<>();

  private Finder(Question question, Budget budget) {
    this.question = question;
    this.budget = budget;
    this.untouched = question.sites().stream().map(State::of).toArray(State[]::new);
  }

  static Finding find(Question question, Budget budget) {
    budget.nextNode();
    Optional<ImmutableList<State>> found = new Finder(question, budget).from(0);
    if (found.isPresent()) {
      return new Finding.Found(found.get());
    }
    return budget.spent() ? new Finding.TooMany() : new Finding.Nothing();
  }

  private Optional<ImmutableList<State>> from(int claim) {
    if (claim == question.claims().size()) {
      return Search.solve(question.sites(), chosen.stream().flatMap(List::stream).toList(), budget);
    }
    for (Alternative alternative : question.claims().get(claim).alternatives()) {
      Optional<ImmutableList<State>> found = from(claim, alternative);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<ImmutableList<State>> from(int claim, Alternative alternative) {
    for (Group group : groups(alternative.together())) {
      ImmutableList<Demand> demands = demands(claim, alternative, group);
      if (budget.spend() && demands.stream().allMatch(this::isPossible)) {
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

  private ImmutableList<Group> groups(Together together) {
    ImmutableList<Group> groups = Group.of(question.inventory(), together);
    boolean preferred = together.topology().filter(linked -> !linked.required()).isPresent();
    return preferred
        ? ImmutableList.<Group>builder()
            .addAll(groups)
            .addAll(Group.of(question.inventory(), new Together(Optional.empty(), together.same())))
            .build()
        : groups;
  }

  private ImmutableList<Demand> demands(int claim, Alternative alternative, Group group) {
    ClaimRequest request = question.claims().get(claim);
    return alternative.wishes().stream()
        .map(wish -> Demand.of(claim, request, wish, group, question))
        .collect(toImmutableList());
  }

  private boolean isPossible(Demand demand) {
    return demand.count() > 0 && Capacity.of(demand, untouched) >= demand.count();
  }
}
