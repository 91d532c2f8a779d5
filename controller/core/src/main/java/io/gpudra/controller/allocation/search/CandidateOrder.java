package io.gpudra.controller.allocation.search;

import com.google.common.primitives.Ints;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.crds.model.node.Gpu.MigMode;
import java.util.Comparator;
import java.util.List;

/**
 * The order of the choices for a demand. MIG devices: existing ones, then those that keep most room
 * for large profiles, then the fullest GPU. Shares: the fullest GPU that has room, or the emptiest.
 * Whole GPUs: the smallest. A GPU whose MIG mode must be switched comes last. Equal ones stay in
 * their order.
 */
final class CandidateOrder implements Comparator<GpuSearchState> {
  private final Comparator<GpuSearchState> order;

  /** Compares the next states of GPUs. */
  CandidateOrder(RequestCandidates candidates, List<GpuSearchState> before) {
    int sign = candidates.request().policy() == AllocationPolicy.PACK ? 1 : -1;
    Comparator<GpuSearchState> byKind =
        candidates.subRequest().kind() instanceof DeviceKind.Mig
            ? mig(before, sign)
            : candidates.subRequest().kind() instanceof DeviceKind.Share ? shares(sign) : whole();
    this.order =
        Comparator.comparing((GpuSearchState state) -> isSwitched(state, candidates))
            .thenComparing(byKind);
  }

  @Override
  public int compare(GpuSearchState one, GpuSearchState other) {
    return order.compare(one, other);
  }

  private static boolean isSwitched(GpuSearchState state, RequestCandidates candidates) {
    boolean mig = !state.places().isEmpty() || candidates.claim().parent();
    return state.candidate().acceptsWhole()
        && state.candidate().gpu().mig().mode() == (mig ? MigMode.DISABLED : MigMode.ENABLED);
  }

  private static Comparator<GpuSearchState> whole() {
    return Comparator.comparingLong(state -> state.candidate().gpu().model().nominalMemoryBytes());
  }

  private static Comparator<GpuSearchState> shares(int sign) {
    return Comparator.comparingLong(
        state -> sign * GpuCandidate.memoryLeft(state.candidate().gpu(), state.usage()));
  }

  private static Comparator<GpuSearchState> mig(List<GpuSearchState> before, int sign) {
    Comparator<GpuSearchState> byLoss =
        Comparator.comparing(
            state -> loss(before.get(state.candidate().index()), state),
            Ints.lexicographicalComparator());
    Comparator<GpuSearchState> byFill =
        Comparator.comparingInt(state -> -sign * state.layout().computeTaken());
    Comparator<GpuSearchState> byExisting = Comparator.comparing(state -> isMade(before, state));
    return sign > 0
        ? byExisting.thenComparing(byLoss).thenComparing(byFill)
        : byExisting.thenComparing(byFill).thenComparing(byLoss);
  }

  private static boolean isMade(List<GpuSearchState> before, GpuSearchState state) {
    return state.places().size() > before.get(state.candidate().index()).places().size();
  }

  private static int[] loss(GpuSearchState before, GpuSearchState after) {
    int[] loss = before.layout().room().clone();
    int[] left = after.layout().room();
    for (int i = 0; i < loss.length; i++) {
      loss[i] -= left[i];
    }
    return loss;
  }
}
