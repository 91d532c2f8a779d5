package io.gpudra.controller.gate;

import static java.util.Comparator.comparing;

import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.queue.Requeuer;
import java.util.Comparator;

/**
 * Requeues the units of pods for a new leader, after the fence: first those that a former leader
 * left with some of their claims allocated, then by rank.
 */
public record GateTakeover(GatedPods pods, ClaimStore claims, Requeuer requeuer) {

  /** Requeues all units. */
  public void run() {
    pods.units().stream()
        .flatMap(unit -> pods.ofUnit(unit).stream())
        .sorted(order())
        .forEach(pod -> requeuer.wake(WorkKey.gate(pod.unit())));
  }

  private Comparator<GatedPod> order() {
    return comparing((GatedPod pod) -> !isHalfDone(pod))
        .thenComparing(pod -> pod.facts().rank())
        .thenComparing(pod -> pod.ref().uid());
  }

  private boolean isHalfDone(GatedPod pod) {
    return pod.gated()
        && pod.facts().claimRefs().stream()
            .flatMap(ref -> claims.get(ref).stream())
            .anyMatch(ClaimFacts::allocatedByUs);
  }
}
