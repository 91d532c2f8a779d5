package io.gpudra.controller.gate;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;

/**
 * A pod with the labels of a group, as the server has it.
 *
 * @param owner the UID of its controller
 * @param bound whether it has a node
 * @param claims at most {@link #MAX_CLAIMS}; only of a pod that runs
 */
public record MemberFacts(
    PodRef pod,
    Optional<String> owner,
    boolean bound,
    boolean deleting,
    Phase phase,
    ImmutableSet<ClaimRef> claims) {
  /** A pod with more claims is never served. */
  public static final int MAX_CLAIMS = 64;

  /** The maximum claims of all members that run. */
  public static final int MAX_CLAIMS_OF_ALL = 8_192;

  /** A pod of which the claims are not known. */
  public MemberFacts(
      PodRef pod, Optional<String> owner, boolean bound, boolean deleting, Phase phase) {
    this(pod, owner, bound, deleting, phase, ImmutableSet.of());
  }

  /** The same pod with these claims. */
  public MemberFacts with(ImmutableSet<ClaimRef> known) {
    return new MemberFacts(pod, owner, bound, deleting, phase, known);
  }

  /** The phases that matter. */
  public enum Phase {
    ALIVE,
    SUCCEEDED,
    FAILED
  }

  /** Whether the pod has devices as long as the group. */
  public boolean runs() {
    return phase == Phase.ALIVE && bound && !deleting;
  }

  /**
   * Whether the pod has its place in the group.
   *
   * @param owners the controllers of the members at the gate
   */
  public boolean counts(ImmutableSet<String> owners) {
    return switch (phase) {
      case ALIVE -> runs();
      case SUCCEEDED -> owner.filter(owners::contains).isPresent();
      case FAILED -> false;
    };
  }
}
