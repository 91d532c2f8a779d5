package io.gpudra.controller.dra.events;

import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Doubt;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.controller.reason.UnsuitableReason.Scope;
import java.util.Optional;

/**
 * The reason why no claim of a pod may be allocated in this pass.
 *
 * @param podClaim name of the pod's entry, empty when no pod is concerned
 * @param claim the blocking claim, absent when it does not exist yet
 */
public record PodBlocker(String podClaim, Optional<ClaimFacts> claim, UnsuitableReason reason) {

  /**
   * A pod waits for more claims than the limit.
   *
   * @param claim one of them
   */
  public static PodBlocker tooMany(String podClaim, ClaimFacts claim, int entries, int most) {
    return new PodBlocker(
        podClaim,
        Optional.of(claim),
        StatedReason.of(
            Kind.TOO_MANY,
            "the pod has %d entries for claims that wait for this driver; at most %d can be served"
                + " together",
            entries,
            most));
  }

  public static PodBlocker classAbsent(String podClaim, ClaimFacts claim) {
    return new PodBlocker(
        podClaim,
        Optional.of(claim),
        StatedReason.of(Kind.CLASS_NOT_FOUND, "ResourceClass \"%s\" not found", claim.className()));
  }

  public static <P> Optional<PodBlocker> ofParameters(
      String podClaim, ClaimFacts claim, DriverParameters<P> parameters) {
    return parameters instanceof DriverParameters.Refused<P> refused
        ? Optional.of(new PodBlocker(podClaim, Optional.of(claim), refused.reason()))
        : Optional.empty();
  }

  /** Whether an event reports it; for the other obstacles kube-scheduler sends one. */
  public boolean isReported() {
    return reason.kind().event().isPresent();
  }

  /** Whether it affects the pod's other claims, too; otherwise it blocks only the allocation. */
  public boolean wholePod() {
    return reason.kind().scope() == Scope.POD;
  }

  /** Whether it may result from a pod that was read too early or is gone. */
  public boolean doubtsThePod() {
    return reason.kind().doubt() == Doubt.OLD_POD;
  }
}
