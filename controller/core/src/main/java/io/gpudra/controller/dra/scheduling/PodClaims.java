package io.gpudra.controller.dra.scheduling;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.Classes;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.Parameters;
import io.gpudra.controller.dra.Suitability;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.scheduling.SchedulingFacts.Entry;
import io.gpudra.crds.model.ClaimRef;
import java.util.Optional;
import java.util.function.Function;

/**
 * What is to be made of a pod's claims, for the controller and for whoever asks what it does.
 * Changes nothing.
 *
 * @param claims the newest of each name
 */
public record PodClaims<P>(
    Driver<P> driver, Function<ClaimRef, Optional<ClaimFacts>> claims, Classes classes) {

  /** Claims that the pod's entries mean. */
  public static ImmutableSet<ClaimRef> refs(PodFacts pod) {
    return pod.claims().stream()
        .flatMap(claim -> ref(claim).stream())
        .collect(ImmutableSet.toImmutableSet());
  }

  /** Which claims of the pod are ours to allocate now, and what is in the way. */
  public Pending<P> pending(PodFacts pod) {
    return pending(facts(pod));
  }

  /** Judges them together; the rest of the pod's claims say nothing. */
  public Suitability suitability(Pending<P> pending, ImmutableSet<String> nodes) {
    return pending.claims().isEmpty() || nodes.isEmpty()
        ? new Suitability(ImmutableMap.of())
        : driver.suitability(pending.pendingClaims(), nodes);
  }

  SchedulingFacts<P> facts(PodFacts pod) {
    return new SchedulingFacts<>(
        pod.ref(),
        pod.claims().stream().map(this::entry).collect(ImmutableList.toImmutableList()),
        pod.containers());
  }

  Pending<P> pending(SchedulingFacts<P> facts) {
    Pending<P> pending = SchedulingRules.pending(facts);
    return pending.mayAllocate() ? pending.with(driver.problems(pending.pendingClaims())) : pending;
  }

  private Entry<P> entry(PodClaim podClaim) {
    Optional<ClaimFacts> claim = ref(podClaim).flatMap(claims);
    Optional<ClassFacts> found = claim.flatMap(facts -> classes.get(facts.className()));
    ClassState state = ClassState.of(found, driver.name());
    Optional<Parameters<P>> parameters =
        claim
            .filter(facts -> state == ClassState.OURS && SchedulingRules.waitsForPod(facts))
            .filter(facts -> !facts.ending())
            .flatMap(facts -> found.map(its -> driver.parameters(its, facts)));
    return new Entry<>(podClaim, claim, found, state, parameters);
  }

  private static Optional<ClaimRef> ref(PodClaim podClaim) {
    return podClaim.resolution() instanceof Resolution.To to
        ? Optional.of(to.claim())
        : Optional.empty();
  }
}
