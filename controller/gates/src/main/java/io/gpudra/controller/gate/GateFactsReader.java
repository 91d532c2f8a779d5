package io.gpudra.controller.gate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ContextStore;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.scheduling.PendingPod;
import io.gpudra.controller.dra.scheduling.SchedulingFactsReader.PodClaims;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.PodRef;

/** Gathers the facts for the rules from the caches. Changes nothing. */
public record GateFactsReader<P>(PodClaims<P> podClaims, ContextStore contexts) {

  /** The facts of a pod of which the claims do not matter. */
  GateSituation<P> alone(GatedPod pod) {
    return new GateSituation<>(
        pod,
        new PendingPod<>(ImmutableList.of(), ImmutableList.of(), ImmutableList.of(), false),
        ImmutableSet.of(),
        /* otherDriver= */ false,
        hasContext(pod.ref()));
  }

  public GateSituation<P> situation(GatedPod pod) {
    // Before the claims: one that is allocated meanwhile then counts as allocated.
    PendingPod<P> pending = podClaims.pending(pod.facts());
    ImmutableSet<ClaimFacts> claims =
        pod.facts().claimRefs().stream()
            .flatMap(claim -> podClaims.claims().apply(claim).stream())
            .collect(ImmutableSet.toImmutableSet());
    return new GateSituation<>(
        pod, pending, claims, claims.stream().anyMatch(this::isOfOther), hasContext(pod.ref()));
  }

  private boolean isOfOther(ClaimFacts claim) {
    return switch (state(claim)) {
      case OTHER, STRUCTURED -> true;
      case OURS, ABSENT ->
          claim.hasBuiltinFinalizer() || (claim.allocation().isPresent() && !claim.allocatedByUs());
    };
  }

  private ClassState state(ClaimFacts claim) {
    return ClassState.of(podClaims.classes().get(claim.className()), podClaims.driver().name());
  }

  public boolean hasContext(PodRef pod) {
    return contexts
        .get(new ObjectKey(pod.namespace(), pod.name()))
        .filter(context -> context.pod().equals(pod))
        .isPresent();
  }
}
