package io.gpudra.controller.gate.group;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.events.PodBlocker;
import io.gpudra.controller.gate.GateFactsReader;
import io.gpudra.controller.gate.GateSituation;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.Optional;
import java.util.Set;

/**
 * The claims of the members that start together. A pass holds them all at once, so they are read up
 * to a limit in bytes, and not beyond the obstacles that are told.
 *
 * @param all of the members that were read
 * @param problem the limit that the claims exceed
 */
record MemberSituations<P>(ImmutableList<GateSituation<P>> all, Optional<String> problem) {
  private static final long MAX_BYTES = 4 << 20;

  static <P> MemberSituations<P> of(ImmutableList<GatedPod> starting, GateFactsReader<P> facts) {
    ImmutableList.Builder<GateSituation<P>> all = ImmutableList.builder();
    Set<P> counted = Sets.newIdentityHashSet();
    long bytes = 0;
    int blocked = 0;
    for (GatedPod pod : starting) {
      GateSituation<P> situation = facts.situation(pod);
      for (PendingClaim<P> claim : situation.pending().pendingClaims()) {
        P parameters = claim.parameters();
        bytes += counted.add(parameters) ? facts.podClaims().driver().bytes(parameters) : 0;
      }
      bytes += situation.pending().blockers().stream().mapToLong(MemberSituations::bytes).sum();
      if (bytes > MAX_BYTES) {
        return new MemberSituations<>(ImmutableList.of(), Optional.of(tooLarge(pod, bytes)));
      }
      all.add(situation);
      blocked += situation.pending().blockers().isEmpty() ? 0 : 1;
      if (blocked == GroupReports.MAX_MEMBERS) {
        break;
      }
    }
    return new MemberSituations<>(all.build(), Optional.empty());
  }

  private static long bytes(PodBlocker blocker) {
    return blocker.reason().sentences(NamespaceAudience.READER_OF_ALL).stream()
        .mapToLong(MemoryBudget::text)
        .sum();
  }

  private static String tooLarge(GatedPod pod, long bytes) {
    return "the parameters of the group's claims, those of pod %s included, take %s bytes: at most"
            .formatted(pod.ref().name(), bytes)
        + " %s are allowed".formatted(MAX_BYTES);
  }
}
