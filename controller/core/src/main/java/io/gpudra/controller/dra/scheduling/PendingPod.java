package io.gpudra.controller.dra.scheduling;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.events.PodBlocker;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.reason.ListedReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The work of a pass for one pod.
 *
 * @param claims our claims to be allocated together, each once; in the order of their UIDs
 * @param blockers the reasons why nothing is allocated, if any
 * @param pinning our claims that are allocated and so tie the pod to their node
 * @param several the pod has two or more entries that wait for any driver: the scheduler selects no
 *     node before each has an answer
 */
public record PendingPod<P>(
    ImmutableList<ClaimOfPod<P>> claims,
    ImmutableList<PodBlocker> blockers,
    ImmutableList<ClaimFacts> pinning,
    boolean several) {

  /**
   * One claim to be allocated.
   *
   * @param podClaims names of the pod's entries for it
   */
  public record ClaimOfPod<P>(PendingClaim<P> claim, ImmutableSet<String> podClaims) {

    private PodBlocker blocker(ImmutableMap<ClaimUid, ImmutableList<String>> problems) {
      ClaimFacts facts = claim.claim();
      return new PodBlocker(
          podClaims.asList().get(0),
          Optional.of(facts),
          new ListedReason(
              Kind.INVALID_PARAMETERS, problems.getOrDefault(facts.uid(), ImmutableList.of())));
    }
  }

  /** With further problems, by claim. */
  PendingPod<P> with(ImmutableMap<ClaimUid, ImmutableList<String>> problems) {
    Stream<PodBlocker> more =
        claims.stream()
            .filter(claimOfPod -> problems.containsKey(claimOfPod.claim().claim().uid()))
            .map(claimOfPod -> claimOfPod.blocker(problems));
    return new PendingPod<>(
        claims,
        Stream.concat(blockers.stream(), more).collect(ImmutableList.toImmutableList()),
        pinning,
        several);
  }

  /** Whether a claim of ours is on another node, so that the pod cannot use this node. */
  public boolean tiedToAnother(String node) {
    return pinning.stream()
        .flatMap(claim -> claim.allocation().stream())
        .flatMap(granted -> granted.ours().stream())
        .flatMap(handle -> handle.node().stream())
        .anyMatch(own -> !own.equals(node));
  }

  /** Whether some claims do not exist yet, so that no node can be evaluated. */
  public boolean podNotReady() {
    return blockers.stream().anyMatch(PodBlocker::wholePod);
  }

  /** Whether no claim waits for this driver, not even behind an obstacle. */
  public boolean nothingOfOurs() {
    return claims.isEmpty() && blockers.isEmpty();
  }

  /** Whether claims wait only for devices. */
  public boolean mayAllocate() {
    return !claims.isEmpty() && blockers.isEmpty();
  }

  /** The claims as they were seen. */
  public ImmutableList<ClaimFacts> claimFacts() {
    return claims.stream()
        .map(claimOfPod -> claimOfPod.claim().claim())
        .collect(ImmutableList.toImmutableList());
  }

  /** The claims without the names of the entries. */
  public ImmutableList<PendingClaim<P>> pendingClaims() {
    return claims.stream().map(ClaimOfPod::claim).collect(ImmutableList.toImmutableList());
  }
}
