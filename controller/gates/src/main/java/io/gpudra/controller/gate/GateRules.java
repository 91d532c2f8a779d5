package io.gpudra.controller.gate;

import io.gpudra.controller.gate.GateAction.Await;
import io.gpudra.controller.gate.GateAction.GiveBack;
import io.gpudra.controller.gate.GateAction.Grant;
import io.gpudra.controller.gate.GateAction.GrantOn;
import io.gpudra.controller.gate.GateAction.Leave;
import io.gpudra.controller.gate.GateAction.Lift;
import io.gpudra.controller.gate.GateAction.Tell;

/** The table of pods at the gate (protocol.md 2.5); the first match wins. */
final class GateRules {
  private GateRules() {}

  static GateAction decide(GateSituation<?> situation) {
    GatedPod pod = situation.pod();
    if (situation.over()) {
      return new Leave();
    }
    if (!pod.gated()) {
      return situation.misjudged() ? new GiveBack(situation.claims().asList()) : new Leave();
    }
    // Nothing is held for a pod that others hold back, nor for a part of a group.
    if (pod.heldByOthers() || pod.facts().group().isPresent()) {
      return new Leave();
    }
    return situation.atOnce().<GateAction>map(Lift::new).orElseGet(() -> wait(situation));
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
