package io.gpudra.controller.kube;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import io.gpudra.controller.gate.MemberFacts;

/** Limits the claims that are kept of all members in one list. Confined to one thread. */
final class MemberClaimBudget {
  private int left = MemberFacts.MAX_CLAIMS_OF_ALL;

  /** The member with the claims that are within the limit. */
  MemberFacts limited(MemberFacts member) {
    MemberFacts limited =
        member.with(member.claims().stream().limit(left).collect(toImmutableSet()));
    left -= limited.claims().size();
    return limited;
  }
}
