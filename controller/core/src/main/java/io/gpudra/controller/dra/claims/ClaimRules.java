package io.gpudra.controller.dra.claims;

import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;

/** The claim table: the action for a claim; the first match wins. */
final class ClaimRules {
  private ClaimRules() {}

  static ClaimAction decide(ClaimSituation situation) {
    ClaimFacts claim = situation.claim();
    if (claim.hasBuiltinFinalizer() || !claim.reservedFor().isEmpty()) {
      return ClaimAction.NOTHING;
    }
    if (claim.ending()) {
      return end(claim);
    }
    if (claim.allocation().isPresent()) {
      boolean takenBack = situation.isSurplus() && claim.allocatedByUs();
      return takenBack ? ClaimAction.DEALLOCATE : ClaimAction.NOTHING;
    }
    ClaimAction start = claim.mode() == Mode.IMMEDIATE ? start(situation) : ClaimAction.NOTHING;
    boolean forgotten = claim.hasFinalizer() && !situation.owned() && !situation.wanted();
    return start == ClaimAction.NOTHING && forgotten ? ClaimAction.REMOVE_FINALIZER : start;
  }

  /**
   * The owner of the allocation decides, never the finalizer alone: that may be left over from us.
   */
  private static ClaimAction end(ClaimFacts claim) {
    if (claim.allocatedByUs()) {
      return ClaimAction.DEALLOCATE;
    }
    if (!claim.hasFinalizer()) {
      return ClaimAction.NOTHING;
    }
    return claim.allocation().isPresent()
        ? ClaimAction.LEAVE_TO_OTHER_DRIVER
        : ClaimAction.REMOVE_FINALIZER;
  }

  private static ClaimAction start(ClaimSituation situation) {
    return switch (situation.classState()) {
      case OURS -> situation.parametersMissing() ? ClaimAction.AWAIT : ClaimAction.ALLOCATE_NOW;
      case ABSENT -> ClaimAction.AWAIT;
      case OTHER, STRUCTURED -> ClaimAction.NOTHING;
    };
  }
}
