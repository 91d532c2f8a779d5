package io.gpudra.controller.allocation.search;

import com.google.common.primitives.Ints;
import io.gpudra.controller.allocation.request.Policy;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.crds.model.node.Gpu.MigMode;
import java.util.Comparator;
import java.util.List;

/**
 * The order of the choices for a demand. MIG devices: existing ones, then those that keep most room
 * for large profiles, then the fullest GPU. Shares: the fullest GPU that takes it, or the emptiest.
 * Whole GPUs: the smallest. A GPU whose MIG mode must be switched comes last. Equal ones stay in
 * their order.
 */
final class Liking implements Comparator<State> {
  private final Comparator<State> order;

  /** Compares the next states of GPUs. */
  Liking(Demand demand, List<State> before) {
    int sign = demand.request().policy() == Policy.PACK ? 1 : -1;
    Comparator<State> byKind =
        demand.wish().shape() instanceof Shape.Mig
            ? mig(before, sign)
            : demand.wish().shape() instanceof Shape.Share ? shares(sign) : whole();
    this.order =
        Comparator.comparing((State state) -> isSwitched(state, demand)).thenComparing(byKind);
  }

  @Override
  public int compare(State one, State other) {
    return order.compare(one, other);
  }

  private static boolean isSwitched(State state, Demand demand) {
    boolean mig = !state.places().isEmpty() || demand.claim().parent();
    return state.site().takesWhole()
        && state.site().gpu().mig().mode() == (mig ? MigMode.DISABLED : MigMode.ENABLED);
  }

  private static Comparator<State> whole() {
    return Comparator.comparingLong(state -> state.site().gpu().model().nominalMemoryBytes());
  }

  private static Comparator<State> shares(int sign) {
    return Comparator.comparingLong(
        state -> sign * Site.memoryLeft(state.site().gpu(), state.usage()));
  }

  private static Comparator<State> mig(List<State> before, int sign) {
    Comparator<State> byLoss =
        Comparator.comparing(
            state -> loss(before.get(state.site().index()), state),
            Ints.lexicographicalComparator());
    Comparator<State> byFill =
        Comparator.comparingInt(state -> -sign * state.layout().computeTaken());
    Comparator<State> byExisting = Comparator.comparing(state -> isMade(before, state));
    return sign > 0
        ? byExisting.thenComparing(byLoss).thenComparing(byFill)
        : byExisting.thenComparing(byFill).thenComparing(byLoss);
  }

  private static boolean isMade(List<State> before, State state) {
    return state.places().size() > before.get(state.site().index()).places().size();
  }

  private static int[] loss(State before, State after) {
    int[] loss = before.layout().room().clone();
    int[] left = after.layout().room();
    for (int i = 0; i < loss.length; i++) {
      loss[i] -= left[i];
    }
    return loss;
  }
}
