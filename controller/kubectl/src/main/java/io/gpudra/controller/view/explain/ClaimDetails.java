package io.gpudra.controller.view.explain;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.events.UnschedulableSummary;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import java.util.Optional;

/**
 * One claim.
 *
 * @param problems errors that must be fixed first, a sentence each
 * @param grant its allocation
 * @param refusals nodes that do not fit it, with the reasons
 * @param fitting the number of evaluated nodes that fit it
 * @param never the reasons why no device of the cluster could ever serve it
 */
public record ClaimDetails(
    ClaimRef ref,
    State state,
    ImmutableList<String> problems,
    Optional<AllocationDetails> grant,
    ImmutableMap<String, UnsuitableReason> refusals,
    int fitting,
    ImmutableList<String> never) {

  /** The state of the claim. */
  public enum State {
    /** The claim is allocated. */
    GRANTED,
    /** The claim is not allocated. */
    WAITING,
    /** The claim is being deleted or deallocated. */
    ENDING,
    /** The claim is deleted, but a node still has its devices prepared. */
    DRAINING,
    /** Another driver or the scheduler handles the claim. */
    OTHERS
  }

  static ClaimDetails of(ClaimRef ref, State state, ImmutableList<String> problems) {
    return new ClaimDetails(
        ref, state, problems, Optional.empty(), ImmutableMap.of(), 0, ImmutableList.of());
  }

  static ClaimDetails granted(ClaimRef ref, State state, AllocationDetails grant) {
    return new ClaimDetails(
        ref,
        state,
        ImmutableList.of(),
        Optional.of(grant),
        ImmutableMap.of(),
        0,
        ImmutableList.of());
  }

  /** Whether releasing devices could never help. */
  public boolean hopeless() {
    return !refusals.isEmpty() && UnschedulableSummary.of(refusals, fitting).hopeless();
  }
}
