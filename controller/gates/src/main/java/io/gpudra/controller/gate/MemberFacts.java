package io.gpudra.controller.gate;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;

/**
 * A pod with the labels of a group, as the server has it.
 *
 * @param owner the UID of its controller
 * @param bound whether it has a node
 */
public record MemberFacts(
    PodRef pod, Optional<String> owner, boolean bound, boolean deleting, Phase phase) {

  /** The phases that matter. */
  public enum Phase {
    ALIVE,
    SUCCEEDED,
    FAILED
  }

  /**
   * Whether the pod has its place in the group.
   *
   * @param owners the controllers of the members at the gate
   */
  public boolean counts(ImmutableSet<String> owners) {
    return switch (phase) {
      case ALIVE -> bound && !deleting;
      case SUCCEEDED -> owner.filter(owners::contains).isPresent();
      case FAILED -> false;
    };
  }
}
