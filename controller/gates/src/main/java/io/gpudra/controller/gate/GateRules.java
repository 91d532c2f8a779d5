package io.gpudra.controller.gate;

import io.gpudra.controller.gate.GateAction.Await;
import io.gpudra.controller.gate.GateAction.GiveBack;
import io.gpudra.controller.gate.GateAction.Grant;
import io.gpudra.controller.gate.GateAction.GrantOn;
import io.gpudra.controller.gate.GateAction.Leave;
import io.gpudra.controller.gate.GateAction.Lift;
import io.gpudra.controller.gate.GateAction.Tell;
import java.util.Optional;

/** The table of pods at the gate (protocol.md 2.5); the first match wins. */
final class GateRules {
  private GateRules() {}

  static GateAction decide(GateSituation<?> situation) {
    return withoutClaims(situation.pod()).orElseGet(() -> ofClaims(situation));
  }

  /** The lines of the table that need no claim: hundreds of claims may be dear to read. */
  static Optional<GateAction> withoutClaims(GatedPod pod) {
    if (pod.over()) {
      return Optional.of(new Leave());
    }
    if (!pod.gated()) {
      return pod.refusal().isPresent() ? Optional.empty() : Optional.of(new Leave());
    }
    // Nothing is held for a pod that others hold back, nor for a part of a group.
    return pod.heldByOthers() || pod.facts().group().isPresent()
        ? Optional.of(new Leave())
        : pod.unjudged().or(pod::withoutEntries).map(Lift::new);
  }

  private static GateAction ofClaims(GateSituation<?> situation) {
    if (!situation.pod().gated()) {
      return situation.misjudged() ? new GiveBack(situation.claims().asList()) : new Leave();
    }
    return situation.otherDriver() ? new Lift(LiftReason.OTHER_DRIVER) : wait(situation);
  }

  private static GateAction wait(GateSituation<?> situation) {
    if (situation.early()) {
      return new Await();
    }
    if (situation.pending().nothingOfOurs()) {
      return new Lift(LiftReason.GRANTED);
    }
    if (!situation.pending().mayAllocate()) {
      return new Tell(situation.pending().blockers());
    }
    return situation.node().<GateAction>map(GrantOn::new).orElseGet(Grant::new);
  }
}
