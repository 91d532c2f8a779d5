package io.gpudra.controller.gate;

import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeDemand;
import java.util.Optional;

/**
 * A pod without a node, as its gate needs it.
 *
 * @param gated whether it has the gate of this driver
 * @param heldByOthers whether it has a gate that no driver removes, such as that of a user
 * @param demand on its node, beside devices
 * @param unjudged the first of its demands that this driver cannot judge
 * @param refusal the message of the scheduler, which finds no node for it
 * @param nominated the node on which the scheduler makes room for it
 */
public record GatedPod(
    PodFacts facts,
    boolean gated,
    boolean heldByOthers,
    NodeDemand demand,
    Optional<LiftReason> unjudged,
    Optional<String> refusal,
    Optional<String> nominated) {

  public PodRef ref() {
    return facts.ref();
  }

  /** The unit of work: the pod alone, or its group. No name of a pod has a slash. */
  public ObjectKey unit() {
    return new ObjectKey(
        ref().namespace(),
        facts
            .group()
            .map(
                group ->
                    switch (group.kind()) {
                      case OWN -> "group/" + group.name();
                      case KUEUE -> "kueue/" + group.name();
                    })
            .orElse("pod/" + ref().name()));
  }

  /** The pod after its gate was removed. */
  public GatedPod lifted() {
    return new GatedPod(
        facts, /* gated= */ false, heldByOthers, demand, unjudged, refusal, nominated);
  }
}
