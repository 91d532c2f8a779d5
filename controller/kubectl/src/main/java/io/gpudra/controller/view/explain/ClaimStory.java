package io.gpudra.controller.view.explain;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.telling.Explanation;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.Reason;
import java.util.Optional;

/**
 * One claim.
 *
 * @param problems what must be put right first, a sentence each
 * @param grant what it has
 * @param refusals nodes that refuse it, as far as they were asked
 * @param fitting how many of the nodes that were asked would fit this one
 * @param never why nothing of the cluster could ever serve it
 */
public record ClaimStory(
    ClaimRef ref,
    State state,
    ImmutableList<String> problems,
    Optional<GrantStory> grant,
    ImmutableMap<String, Reason> refusals,
    int fitting,
    ImmutableList<String> never) {

  /** How far it is. */
  public enum State {
    /** It has devices. */
    GRANTED,
    /** It has none. */
    WAITING,
    /** It is deleted, or gives its devices back. */
    ENDING,
    /** It is gone, and a node has its devices still prepared. */
    DRAINING,
    /** Another driver or the scheduler looks after it. */
    OTHERS
  }

  static ClaimStory of(ClaimRef ref, State state, ImmutableList<String> problems) {
    return new ClaimStory(
        ref, state, problems, Optional.empty(), ImmutableMap.of(), 0, ImmutableList.of());
  }

  static ClaimStory granted(ClaimRef ref, State state, GrantStory grant) {
    return new ClaimStory(
        ref,
        state,
        ImmutableList.of(),
        Optional.of(grant),
        ImmutableMap.of(),
        0,
        ImmutableList.of());
  }

  /** Whether no release of devices could ever help. */
  public boolean hopeless() {
    return !refusals.isEmpty() && Explanation.of(refusals, fitting).hopeless();
  }
}
