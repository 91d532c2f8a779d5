package io.gpudra.controller.quota;

import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * What a claim of a namespace with quotas holds on a node after a change.
 *
 * @param charges of the namespace before the change
 * @param now absent when it holds nothing
 */
record CountedClaim(
    NamespaceCharges charges,
    ClaimRef ref,
    ClaimUid claim,
    String node,
    Optional<QuotaCharge> now) {

  QuotaCharge growth() {
    return now.orElse(QuotaCharge.NONE).minus(charges.charge(claim, node));
  }

  Optional<String> className(BiFunction<ClaimRef, ClaimUid, Optional<String>> classOf) {
    return charges.className(claim).or(() -> classOf.apply(ref, claim));
  }

  void enter(BiFunction<ClaimRef, ClaimUid, Optional<String>> classOf) {
    charges.set(claim, () -> classOf.apply(ref, claim), node, now);
  }
}
