package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;

/**
 * What the protocol needs to know of a pod.
 *
 * @param terminal phase Succeeded or Failed
 * @param claims in the order of {@code spec.resourceClaims}
 */
public record PodFacts(
    PodRef ref, boolean deleting, boolean terminal, ImmutableList<PodClaim> claims) {

  /**
   * One entry of {@code spec.resourceClaims}; {@code name} is the entry's name, the key in
   * scheduling contexts.
   */
  public record PodClaim(String name, Resolution resolution) {}

  /** Which claim an entry means, by the naming rules of the server's version (protocol.md 1.6). */
  public sealed interface Resolution {

    /** The entry means this claim; a generated one must be owned by the pod. */
    record To(ClaimRef claim, boolean mustBeOwnedByPod) implements Resolution {}

    /** The claim is not generated yet. */
    record NotYet() implements Resolution {}

    /** The pod needs no claim for this entry. */
    record None() implements Resolution {}
  }
}
