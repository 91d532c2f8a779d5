package io.gpudra.controller.dra.scheduling;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ClaimFacts;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.telling.Obstacle;

/**
 * What a pass for one pod has before it.
 *
 * @param claims of ours, to be allocated together, each once; in the order of their UIDs
 * @param obstacles while there is one, nothing is allocated
 * @param pinning claims of ours that are allocated and so tie the pod to their node
 * @param several the pod has two or more entries that wait for a driver, of whomever: the scheduler
 *     selects no node before each has its answer
 */
record Pending<P>(
    ImmutableList<Wanted<P>> claims,
    ImmutableList<Obstacle> obstacles,
    ImmutableList<ClaimFacts> pinning,
    boolean several) {

  /**
   * One claim to be allocated.
   *
   * @param podClaims names of the pod's entries that mean it
   */
  record Wanted<P>(PendingClaim<P> claim, ImmutableSet<String> podClaims) {}

  /** Whether a claim of ours is on another node, so that this one would be of no use to the pod. */
  boolean tiedToAnother(String node) {
    return pinning.stream()
        .flatMap(claim -> claim.allocation().stream())
        .flatMap(granted -> granted.ours().stream())
        .flatMap(handle -> handle.node().stream())
        .anyMatch(own -> !own.equals(node));
  }

  boolean podNotReady() {
    return obstacles.stream().anyMatch(Obstacle::wholePod);
  }

  boolean nothingOfOurs() {
    return claims.isEmpty() && obstacles.isEmpty();
  }

  boolean mayAllocate() {
    return !claims.isEmpty() && obstacles.isEmpty();
  }

  ImmutableList<PendingClaim<P>> pendingClaims() {
    return claims.stream().map(Wanted::claim).collect(ImmutableList.toImmutableList());
  }
}
