package io.gpudra.controller.gate.group;

import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.GatedPods;
import java.util.function.Predicate;

/**
 * Whether a pod without the gate waits for members of its group that have it. Its gate may have
 * been removed by a user, or late, by a leader whose grants the next one gave back.
 */
public record GroupHolds(GatedPods pods) implements Predicate<PodFacts> {

  @Override
  public boolean test(PodFacts pod) {
    return pod.group()
        .filter(GroupQuorum::isValid)
        .map(group -> GatedPod.unit(pod.ref().namespace(), group))
        .filter(pods::isAtGate)
        .isPresent();
  }
}
