package io.gpudra.simulator.claims;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Claim;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.util.Optional;

/**
 * Stands in for the scheduler where a pod has a node already. Does not ask whether the pod has
 * finished, as 1.28 to 1.30 do not: a driver must not allocate for such a pod.
 */
record BoundPods(Api api) {

  void sync(Pod pod) {
    for (Pod.ClaimEntry entry : pod.claims(Profile.V1_30)) {
      Optional<Claim> claim =
          entry.binding() == Pod.Binding.NAMED
              ? api.get(Resource.CLAIMS, pod.namespace(), entry.claim()).map(Claim::new)
              : Optional.empty();
      if (claim.isPresent()
          && (!entry.generated() || Meta.controlledBy(claim.get().json(), pod.uid()))) {
        serve(pod, claim.get());
      }
    }
  }

  private void serve(Pod pod, Claim claim) {
    if (claim.allocated() && !claim.reservedFor(pod.uid()) && claim.canBeReserved()) {
      claim.reserve(pod);
      api.updateStatus(Resource.CLAIMS, claim.json());
    }
    if (!claim.allocated() && claim.delayed()) {
      select(pod);
    }
  }

  private void select(Pod pod) {
    Optional<ObjectNode> there = api.get(Resource.CONTEXTS, pod.namespace(), pod.name());
    ObjectNode context = there.orElseGet(pod::newContext);
    if (!Meta.controlledBy(context, pod.uid())
        || Json.text(context, "spec.selectedNode").equals(pod.node())) {
      return;
    }
    context.withObjectProperty("spec").put("selectedNode", pod.node());
    if (there.isEmpty()) {
      api.create(Resource.CONTEXTS, context);
    } else {
      api.update(Resource.CONTEXTS, context);
    }
  }
}
