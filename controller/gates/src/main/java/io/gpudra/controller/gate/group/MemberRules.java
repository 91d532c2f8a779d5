package io.gpudra.controller.gate.group;

import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.gate.GateSituation;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.LiftReason;
import java.util.Optional;

/** What keeps a member of a group from starting, and with it the group (protocol.md 2.6). */
final class MemberRules {
  private MemberRules() {}

  /** Whether its claims cannot be allocated yet. */
  static boolean isBlocked(GateSituation<?> situation) {
    return situation.early() || !situation.pending().blockers().isEmpty();
  }

  /** What is wrong with the pod, without its claims. */
  static Optional<String> problem(GatedPod pod) {
    return pod.unjudged()
        .filter(reason -> hidesEntries(reason) || pod.withoutEntries().isEmpty())
        .map(reason -> problem(pod, reason.text()));
  }

  /** Whether the pod may have entries that were not kept: it is no launcher without claims. */
  private static boolean hidesEntries(LiftReason reason) {
    return reason == LiftReason.CROWDED || reason == LiftReason.UNREADABLE;
  }

  private static String problem(GatedPod pod, String text) {
    return "pod %s of the group: %s".formatted(pod.ref().name(), text);
  }

  /** What is wrong with its claims. */
  static Optional<String> problem(GateSituation<?> situation) {
    return situation.otherDriver()
        ? Optional.of(problem(situation.pod(), LiftReason.OTHER_DRIVER.text()))
        : situation.claims().stream()
            .filter(claim -> claim.mode() == Mode.IMMEDIATE)
            .findFirst()
            .map(
                claim ->
                    problem(
                        situation.pod(),
                        "claim %s is Immediate, so it waits for no group"
                            .formatted(claim.ref().name())));
  }
}
