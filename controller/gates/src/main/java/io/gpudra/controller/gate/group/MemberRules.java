package io.gpudra.controller.gate.group;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.gate.GateSituation;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.LiftReason;
import java.util.Optional;
import java.util.stream.Stream;

/** What keeps a member of a group from starting, and with it the group (protocol.md 2.6). */
final class MemberRules {
  /** Of all members. A pass reads the claims of each, and writes each claim twice. */
  private static final int MAX_ENTRIES = 4_096;

  private MemberRules() {}

  /** Whether its claims cannot be allocated yet. */
  static boolean isBlocked(GateSituation<?> situation) {
    return situation.early() || !situation.pending().blockers().isEmpty();
  }

  /** What is wrong with the members that start together, without their claims. */
  static Optional<String> problem(ImmutableList<GatedPod> starting) {
    return Stream.concat(
            starting.stream().flatMap(pod -> problem(pod).stream()), tooMany(starting).stream())
        .findFirst();
  }

  private static Optional<String> tooMany(ImmutableList<GatedPod> starting) {
    int entries = starting.stream().mapToInt(pod -> pod.facts().claims().size()).sum();
    return entries <= MAX_ENTRIES
        ? Optional.empty()
        : Optional.of(
            "the %s members of the group have %s entries for claims: at most %s are allowed"
                .formatted(starting.size(), entries, MAX_ENTRIES));
  }

  private static Optional<String> problem(GatedPod pod) {
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
