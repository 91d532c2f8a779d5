package io.gpudra.controller.dra.scheduling;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.ClassStore;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.PodStore;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.scheduling.SchedulingFacts.Entry;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;
import java.util.function.Function;

/** Gathers the facts for the rules from the caches and the driver. Changes nothing. */
public record SchedulingFactsReader<P>(
    Driver<P> driver, ClaimStore claims, ClassStore classes, PodStore pods) {
  public Optional<ClaimFacts> claim(ClaimRef ref) {
    return claims.get(ref);
  }

  public Optional<ClaimFacts> liveClaim(ClaimRef ref) throws ApiUnavailableException {
    return claims.live(ref);
  }

  /**
   * Of the pod that owns and uses the claim, which is read from the server; 0 without one. A tenant
   * may name any pod as the owner.
   */
  public int priority(ClaimFacts claim) throws ApiUnavailableException {
    Optional<PodRef> owner = claims.ownerPod(claim);
    return owner.isEmpty()
        ? 0
        : pods.read(owner.get())
            .filter(pod -> pod.mayUse(claim.ref()))
            .map(pod -> pod.rank().priority())
            .orElse(0);
  }

  public ClassState classState(ClaimFacts claim) {
    return ClassState.of(classes.get(claim.className()), driver.name());
  }

  public boolean isSurplus(ClaimFacts claim) {
    return driver.isSurplus(claim.uid());
  }

  /** The parameters of a claim whose class exists. */
  public Optional<DriverParameters<P>> parameters(ClaimFacts claim) {
    return classes.get(claim.className()).map(found -> driver.parameters(found, claim));
  }

  /** A claim with its class and these parameters, unless the class was just deleted. */
  public Optional<PendingClaim<P>> pending(ClaimFacts claim, P parameters) {
    return classes
        .get(claim.className())
        .map(found -> new PendingClaim<>(claim, found, parameters));
  }

  /**
   * Evaluates a pod's claims, for the controller and for tools that explain its decisions. Changes
   * nothing.
   *
   * @param claims the newest claim of each name
   */
  public record PodClaims<P>(
      Driver<P> driver, Function<ClaimRef, Optional<ClaimFacts>> claims, ClassStore classes) {

    /** The claims of the pod that we can allocate now, and the obstacles. */
    public PendingPod<P> pending(PodFacts pod) {
      return pending(facts(pod));
    }

    /** Evaluates these claims together, without the pod's other claims. */
    public NodeSuitability suitability(PendingPod<P> pending, ImmutableSet<String> nodes) {
      return pending.claims().isEmpty() || nodes.isEmpty()
          ? new NodeSuitability(ImmutableMap.of())
          : driver.suitability(pending.pendingClaims(), nodes);
    }

    /** Parameters of a pod with too many claims are not read. */
    SchedulingFacts<P> facts(PodFacts pod) {
      ImmutableList<Entry<P>> entries =
          pod.claims().stream().map(this::entry).collect(ImmutableList.toImmutableList());
      boolean served = SchedulingRules.tooMany(entries).isEmpty();
      return new SchedulingFacts<>(
          pod.ref(),
          pod.rank(),
          served
              ? entries.stream().map(this::read).collect(ImmutableList.toImmutableList())
              : entries,
          pod.containers());
    }

    PendingPod<P> pending(SchedulingFacts<P> facts) {
      PendingPod<P> pending = SchedulingRules.pending(facts);
      return pending.mayAllocate()
          ? pending.with(driver.problems(pending.pendingClaims()))
          : pending;
    }

    private Entry<P> entry(PodClaim podClaim) {
      Optional<ClaimFacts> claim = podClaim.ref().flatMap(claims);
      Optional<ClassFacts> found = claim.flatMap(facts -> classes.get(facts.className()));
      return new Entry<>(
          podClaim, claim, found, ClassState.of(found, driver.name()), Optional.empty());
    }

    private Entry<P> read(Entry<P> entry) {
      return entry
          .open()
          .flatMap(claim -> entry.resourceClass().map(its -> driver.parameters(its, claim)))
          .map(entry::with)
          .orElse(entry);
    }
  }
}
