package io.gpudra.controller.dra.testing;

import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * I1 to I3 and I5 to I7 of protocol.md 2.4, as far as the API shows them, with no device in two
 * grants.
 */
final class GrantInvariants {
  private GrantInvariants() {}

  static void check(Collection<ClaimFacts> claims) {
    Set<String> devices = new HashSet<>();
    for (ClaimFacts claim : claims) {
      if (claim.allocatedByUs() && !claim.hasFinalizer()) {
        throw new AssertionError("granted without finalizer: " + claim);
      }
      if (!claim.reservedFor().isEmpty() && claim.allocation().isEmpty()) {
        throw new AssertionError("reserved without allocation: " + claim);
      }
      claim
          .allocation()
          .flatMap(Granted::ours)
          .filter(handle -> !devices.add(handle.data()))
          .ifPresent(
              handle -> {
                throw new AssertionError("granted twice: " + handle);
              });
    }
  }
}
