package io.gpudra.controller.allocation.search;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
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
public final class PlacementSearch {
  private final SearchProblem problem;
  private final SearchBudget budget;
  private final GpuSearchState[] untouched;
  private final Deque<ImmutableList<RequestCandidates>> chosen = new ArrayDeque<>();

  private final Map<AlternativeChoice, ImmutableList<RequestCandidates>> demands = new HashMap<>();

  /** One choice for a claim. */
  private record AlternativeChoice(int claim, int alternative, TopologyGroup group) {}

  private PlacementSearch(SearchProblem problem, SearchBudget budget) {
    this.problem = problem;
    this.budget = budget;
    this.untouched = new GpuSearchState[problem.sites().size()];
    Arrays.setAll(untouched, gpu -> GpuSearchState.of(problem.sites().get(gpu)));
  }

  public static Finding find(SearchProblem problem, SearchBudget budget) {
    budget.nextNode();
    Optional<ImmutableList<GpuSearchState>> found = new PlacementSearch(problem, budget).from(0);
    if (found.isPresent()) {
      return new Finding.Found(found.get());
    }
    return budget.spent() ? new Finding.TooMany() : new Finding.Nothing();
  }

  private Optional<ImmutableList<GpuSearchState>> from(int claim) {
    if (claim == problem.claims().size()) {
      return DepthFirstSearch.solve(
          untouched, chosen.stream().flatMap(List::stream).toList(), budget);
    }
    int alternatives = problem.claims().get(claim).request().alternatives().size();
    for (int alternative = 0; alternative < alternatives; alternative++) {
      Optional<ImmutableList<GpuSearchState>> found = from(claim, alternative);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<ImmutableList<GpuSearchState>> from(int claim, int alternative) {
    DeviceConstraints deviceConstraints = alternative(claim, alternative).deviceConstraints();
    for (TopologyGroup group : problem.candidateIndex().groups(deviceConstraints, budget)) {
      if (!budget.spend() || !mayAsk(claim, alternative)) {
        return Optional.empty();
      }
      ImmutableList<RequestCandidates> demands =
          demands(new AlternativeChoice(claim, alternative, group));
      if (arePossible(demands)) {
        chosen.addLast(demands);
        Optional<ImmutableList<GpuSearchState>> found = from(claim + 1);
        chosen.removeLast();
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private boolean mayAsk(int claim, int alternative) {
    return alternative(claim, alternative).subRequests().stream()
        .allMatch(subRequest -> problem.candidateIndex().mayAsk(subRequest, budget));
  }

  private RequestAlternative alternative(int claim, int number) {
    return problem.claims().get(claim).request().alternatives().get(number);
  }

  /** Computed once for each choice, since it does not depend on the choices of earlier claims. */
  private ImmutableList<RequestCandidates> demands(AlternativeChoice alternativeChoice) {
    return demands.computeIfAbsent(alternativeChoice, this::read);
  }

  private ImmutableList<RequestCandidates> read(AlternativeChoice alternativeChoice) {
    IndexedClaim claim = problem.claims().get(alternativeChoice.claim());
    ImmutableList.Builder<RequestCandidates> demands = ImmutableList.builder();
    for (DeviceSubRequest subRequest :
        alternative(alternativeChoice.claim(), alternativeChoice.alternative()).subRequests()) {
      demands.add(RequestCandidates.of(claim, subRequest, alternativeChoice.group(), problem));
    }
    return demands.build();
  }

  private boolean arePossible(ImmutableList<RequestCandidates> demands) {
    for (RequestCandidates candidates : demands) {
      if (candidates.count() < 1 || CapacityBounds.of(candidates, untouched) < candidates.count()) {
        return false;
      }
    }
    return true;
  }

  /** The result of a search. */
  public sealed interface Finding {

    /** The node's GPUs with all claims served. */
    record Found(ImmutableList<GpuSearchState> gpus) implements Finding {}

    /** There is no solution. */
    record Nothing() implements Finding {}

    /** There may be a solution, but the budget is spent. */
    record TooMany() implements Finding {}
  }
}
