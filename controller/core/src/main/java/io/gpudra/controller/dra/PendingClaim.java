package io.gpudra.controller.dra;

import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.PodUse;

/**
 * A claim that this driver could allocate now, with all facts for the decision.
 *
 * @param pod how the pod that it is allocated for uses its claims; the same for all claims of the
 *     pod
 */
public record PendingClaim<P>(
    ClaimFacts claim, ClassFacts resourceClass, P parameters, PodUse pod) {

  /** A claim that is allocated before a pod uses it. */
  public PendingClaim(ClaimFacts claim, ClassFacts resourceClass, P parameters) {
    this(claim, resourceClass, parameters, PodUse.without(claim));
  }
}
