package io.gpudra.controller.dra.scheduling;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.Claims;
import io.gpudra.controller.dra.Classes;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.Parameters;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.Suitability;
import io.gpudra.controller.dra.Unavailable;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.crds.model.ClaimRef;
import java.util.Optional;

/** Gathers what the rules decide on, from the caches and the driver. Changes nothing. */
public final class Survey<P> {
  private final Driver<P> driver;
  private final Claims claims;
  private final Classes classes;
  private final PodClaims<P> ofPods;

  public Survey(Driver<P> driver, Claims claims, Classes classes) {
    this.driver = driver;
    this.claims = claims;
    this.classes = classes;
    this.ofPods = new PodClaims<>(driver, claims::get, classes);
  }

  SchedulingFacts<P> ofPod(PodFacts pod) {
    return ofPods.facts(pod);
  }

  /** Which claims of the pod are ours to allocate now, and what is in the way. */
  Pending<P> pending(SchedulingFacts<P> facts) {
    return ofPods.pending(facts);
  }

  Suitability suitability(Pending<P> pending, ImmutableSet<String> nodes) {
    return ofPods.suitability(pending, nodes);
  }

  public Optional<ClaimFacts> claim(ClaimRef ref) {
    return claims.get(ref);
  }

  public Optional<ClaimFacts> liveClaim(ClaimRef ref) throws Unavailable {
    return claims.live(ref);
  }

  public ClassState classState(ClaimFacts claim) {
    return ClassState.of(classes.get(claim.className()), driver.name());
  }

  public boolean surplus(ClaimFacts claim) {
    return driver.surplus(claim.uid());
  }

  /** Of a claim whose class is there. */
  public Optional<Parameters<P>> parameters(ClaimFacts claim) {
    return classes.get(claim.className()).map(found -> driver.parameters(found, claim));
  }

  /** A claim with its class and these parameters, unless the class just went. */
  public Optional<PendingClaim<P>> pending(ClaimFacts claim, P parameters) {
    return classes
        .get(claim.className())
        .map(found -> new PendingClaim<>(claim, found, parameters));
  }
}
