package io.gpudra.controller.dra.facts;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import java.util.Optional;

/**
 * The facts of a pod that the protocol needs.
 *
 * @param terminal phase Succeeded or Failed
 * @param claims in the order of {@code spec.resourceClaims}
 * @param containers those that use several claims, including init containers; only the first 64
 */
public record PodFacts(
    PodRef ref,
    WaitRank rank,
    Optional<GroupLabel> group,
    boolean deleting,
    boolean terminal,
    ImmutableList<PodClaim> claims,
    ImmutableList<Container> containers) {

  /** A pod of which neither its place among others nor its group matters. */
  public PodFacts(
      PodRef ref,
      boolean deleting,
      boolean terminal,
      ImmutableList<PodClaim> claims,
      ImmutableList<Container> containers) {
    this(ref, WaitRank.LAST, Optional.empty(), deleting, terminal, claims, containers);
  }

  /** A pod none of whose containers uses more than one claim. */
  public PodFacts(PodRef ref, boolean deleting, boolean terminal, ImmutableList<PodClaim> claims) {
    this(ref, deleting, terminal, claims, ImmutableList.of());
  }

  /** The claims of the entries that are recorded. */
  public ImmutableSet<ClaimRef> claimRefs() {
    return claims.stream()
        .flatMap(claim -> claim.ref().stream())
        .collect(ImmutableSet.toImmutableSet());
  }

  /** Whether an entry is for this claim, or for one that is not recorded yet. */
  public boolean mayUse(ClaimRef claim) {
    return claims.stream()
        .map(PodClaim::resolution)
        .anyMatch(
            entry ->
                entry instanceof Resolution.NotYet
                    || (entry instanceof Resolution.ResolvedTo to && to.claim().equals(claim)));
  }

  /**
   * A container.
   *
   * @param claims entries of {@code spec.resourceClaims} that the container uses: bit <i>i</i>
   *     stands for entry <i>i</i>; entries after the 64th are never served
   */
  public record Container(String name, long claims) {

    /** Whether the container uses the pod's entry of this number. */
    boolean uses(int entry) {
      return entry < Long.SIZE && (claims >> entry & 1) == 1;
    }
  }

  /**
   * One entry of {@code spec.resourceClaims}; {@code name} is the entry's name, the key in
   * scheduling contexts.
   */
  public record PodClaim(String name, Resolution resolution) {

    /** The claim, if it is recorded. */
    public Optional<ClaimRef> ref() {
      return resolution instanceof Resolution.ResolvedTo to
          ? Optional.of(to.claim())
          : Optional.empty();
    }
  }

  /** The claim of an entry, by the naming rules of the server's version (protocol.md 1.6). */
  public sealed interface Resolution {

    /** The entry refers to this claim; a generated claim must be owned by the pod. */
    record ResolvedTo(ClaimRef claim, boolean mustBeOwnedByPod) implements Resolution {}

    /** The claim is not generated yet. */
    record NotYet() implements Resolution {}

    /** The pod needs no claim for this entry. */
    record None() implements Resolution {}
  }
}
