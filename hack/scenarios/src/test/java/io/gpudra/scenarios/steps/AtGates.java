package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;

/** What must hold of pods at gates once everything had time. */
record AtGates(World world, Grants grants) {

  void check() {
    world.api().list(Resource.PODS).stream()
        .map(Pod::new)
        .filter(pod -> pod.node().isEmpty() && !pod.deleting() && !pod.terminal())
        .forEach(this::check);
  }

  private void check(Pod pod) {
    if (pod.json().at("/spec/schedulingGates").size() > 1) {
      mustHoldNothing(pod);
    } else if (Facts.gates(pod).contains(Facts.GATE)) {
      world.broken("pod " + Meta.key(pod.json()) + " is left at its gate: " + pod.json());
    } else if (isNowhere(pod) && holdsAll(pod)) {
      world.broken("pod " + Meta.key(pod.json()) + " holds claims, and gets no node");
    }
  }

  /** Whether no node suits the pod, which only the scheduler knows. */
  static boolean isNowhere(Pod pod) {
    return !Json.at(pod.json(), "spec.nodeSelector").isEmpty();
  }

  private boolean holdsAll(Pod pod) {
    ImmutableSet<ClaimRef> refs = Containers.refs(pod);
    return refs.size() == pod.claims(Profile.V1_30).size()
        && !refs.isEmpty()
        && refs.stream()
            .allMatch(
                ref -> grants.of(ref).filter(entry -> isHeldFor(entry.claim(), pod)).isPresent());
  }

  private void mustHoldNothing(Pod pod) {
    Streams.stream(grants.all())
        .map(Grants.Entry::claim)
        .filter(claim -> isHeldFor(claim, pod))
        .forEach(
            claim ->
                world.broken(
                    "%s is held for pod %s, which cannot start"
                        .formatted(claim.ref(), Meta.key(pod.json()))));
  }

  private static boolean isHeldFor(ClaimFacts claim, Pod pod) {
    return claim.mode() == Mode.DELAYED
        && !claim.ending()
        && claim.reservedFor().equals(ImmutableSet.of(pod.uid()));
  }
}
