package io.gpudra.controller.gate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.scheduling.PendingPod;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;

/**
 * The facts that decide on a pod.
 *
 * @param claims those of its claims that exist
 * @param otherDriver whether another driver or the scheduler allocates one of them
 * @param hasContext whether the pod has a scheduling context, and with it the ordinary path
 */
public record GateSituation<P>(
    GatedPod pod,
    PendingPod<P> pending,
    ImmutableSet<ClaimFacts> claims,
    boolean otherDriver,
    boolean hasContext) {

  /**
   * Whether the scheduler finds no node for the pod because of our grant. The ordinary path leaves
   * the same traces, but with a context; and a node that is nominated is about to have room.
   */
  public boolean misjudged() {
    return pod.refusal().isPresent()
        && !hasContext
        && pending.blockers().isEmpty()
        && !claims.isEmpty()
        && returnable().size() == claims.size()
        && (pod.nominated().isEmpty() || !pod.nominated().equals(node()));
  }

  /** The claims that can be given back. */
  ImmutableList<ClaimFacts> returnable() {
    return claims.stream()
        .filter(claim -> canGiveBack(claim, pod.ref()))
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Whether the claim is ours to give back: delayed, allocated by us, and used by this pod alone.
   */
  static boolean canGiveBack(ClaimFacts claim, PodRef user) {
    return claim.allocatedByUs()
        && claim.mode() == Mode.DELAYED
        && !claim.ending()
        && claim.reservedFor().equals(ImmutableSet.of(user.uid()));
  }

  /** Whether a claim does not exist yet, is about to go, or is allocated without the pod. */
  public boolean early() {
    return pending.blockers().stream()
            .anyMatch(blocker -> blocker.wholePod() && !blocker.isReported())
        || claims.stream().anyMatch(GateSituation::isAllocatedAlone);
  }

  private static boolean isAllocatedAlone(ClaimFacts claim) {
    return claim.mode() == Mode.IMMEDIATE && claim.allocation().isEmpty();
  }

  /** The node on which the pod has a claim. */
  public Optional<String> node() {
    return pending.pinning().stream()
        .flatMap(claim -> claim.allocation().flatMap(Granted::ours).stream())
        .flatMap(handle -> handle.node().stream())
        .findFirst();
  }
}
