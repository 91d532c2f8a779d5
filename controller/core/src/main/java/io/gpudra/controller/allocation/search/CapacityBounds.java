package io.gpudra.controller.allocation.search;

import io.gpudra.controller.allocation.mig.MigLayout.Cut;
import io.gpudra.controller.allocation.request.DeviceKind;
import java.util.List;

/** Quick bounds: a demand that exceeds them cannot be served, other demands may be. */
final class CapacityBounds {

  private CapacityBounds() {}

  /** Whether some demand from this one on has fewer devices left than it requests. */
  static boolean lacks(
      List<RequestCandidates> demands, int from, int remaining, GpuSearchState[] states) {
    for (int i = from; i < demands.size(); i++) {
      if (of(demands.get(i), states) < wanted(demands, i, from, remaining)) {
        return true;
      }
    }
    return lacksWhole(demands, from, remaining, states)
        || lacksCompute(demands, from, remaining, states);
  }

  private static int wanted(List<RequestCandidates> demands, int demand, int from, int remaining) {
    return demand == from ? remaining : demands.get(demand).count();
  }

  /** The maximum number of devices that the demand could have if it came next and alone. */
  static int of(RequestCandidates demand, GpuSearchState[] states) {
    int most = 0;
    for (GpuSearchState state : states) {
      most += of(demand, state);
    }
    return most;
  }

  private static int of(RequestCandidates demand, GpuSearchState state) {
    if (demand.isCarved()) {
      // The parent's part of this GPU is unknown before the parent is placed.
      return demand.cutsOf(state.candidate()).isEmpty() ? 0 : demand.count();
    }
    if (!(demand.subRequest().kind() instanceof DeviceKind.Mig)) {
      return mayServe(demand, state) ? 1 : 0;
    }
    int existing = demand.existingOf(state.candidate()).size();
    return existing
        + (state.candidate().acceptsCuts() && state.hasOnlySlices() ? cuts(demand, state) : 0);
  }

  private static boolean mayServe(RequestCandidates demand, GpuSearchState state) {
    boolean whole = demand.subRequest().kind() instanceof DeviceKind.Whole;
    GpuCandidate candidate = state.candidate();
    return demand.accepts(candidate)
        && (whole
            ? candidate.acceptsWhole() && state.assignments().isEmpty()
            : candidate.acceptsShares());
  }

  private static int cuts(RequestCandidates demand, GpuSearchState state) {
    int left = state.layout().computeLeft();
    int most = 0;
    for (Cut cut : demand.cutsOf(state.candidate())) {
      most = Math.max(most, left / Math.max(1, cut.profile().compute()));
    }
    return most;
  }

  private static boolean lacksWhole(
      List<RequestCandidates> demands, int from, int remaining, GpuSearchState[] states) {
    long[] candidates = new long[demands.size()];
    int[] wanted = new int[demands.size()];
    for (int i = from; i < demands.size(); i++) {
      if (demands.get(i).subRequest().kind() instanceof DeviceKind.Whole) {
        wanted[i] = wanted(demands, i, from, remaining);
        candidates[i] = candidates(demands.get(i), states);
      }
    }
    return !new BipartiteMatching(candidates, wanted).satisfiable();
  }

  private static long candidates(RequestCandidates demand, GpuSearchState[] states) {
    long candidates = 0;
    for (GpuSearchState state : states) {
      candidates |= mayServe(demand, state) ? 1L << state.candidate().index() : 0;
    }
    return candidates;
  }

  private static boolean lacksCompute(
      List<RequestCandidates> demands, int from, int remaining, GpuSearchState[] states) {
    int wanted = 0;
    for (int i = from; i < demands.size(); i++) {
      RequestCandidates demand = demands.get(i);
      if (demand.subRequest().kind() instanceof DeviceKind.Mig && !demand.isCarved()) {
        if (demand.hasExisting()) {
          return false;
        }
        wanted += wanted(demands, i, from, remaining) * least(demand);
      }
    }
    return wanted > compute(states);
  }

  private static int least(RequestCandidates demand) {
    int least = Integer.MAX_VALUE;
    for (List<Cut> some : demand.cuts()) {
      for (Cut cut : some) {
        least = Math.min(least, cut.profile().compute());
      }
    }
    return least == Integer.MAX_VALUE ? 0 : least;
  }

  private static int compute(GpuSearchState[] states) {
    int all = 0;
    for (GpuSearchState state : states) {
      all +=
          state.candidate().acceptsCuts() && state.hasOnlySlices()
              ? state.layout().computeLeft()
              : 0;
    }
    return all;
  }
}
