package io.gpudra.controller.kube.mapping;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;

/**
 * The cached fields of a claim at one resourceVersion; they are enough to patch it.
 *
 * @param held whether any finalizer, ours or another, blocks its deletion
 * @param consumers entries of {@code status.reservedFor}
 * @param ownerPod the pod for which it was created; only of an Immediate claim that waits
 */
public record CachedClaim(
    ClaimFacts facts, boolean held, ImmutableList<Consumer> consumers, Optional<PodRef> ownerPod) {

  /** A claim that was created for no pod. */
  public CachedClaim(ClaimFacts facts, boolean held, ImmutableList<Consumer> consumers) {
    this(facts, held, consumers, Optional.empty());
  }

  /**
   * A consumer of the claim.
   *
   * @param apiGroup empty for the core group
   */
  public record Consumer(String apiGroup, String resource, String name, String uid) {}
}
