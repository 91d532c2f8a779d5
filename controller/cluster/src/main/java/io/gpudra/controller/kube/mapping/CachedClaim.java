package io.gpudra.controller.kube.mapping;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.ClaimFacts;

/**
 * The cached fields of a claim at one resourceVersion; they are enough to patch it.
 *
 * @param held whether any finalizer, ours or another, blocks its deletion
 * @param consumers entries of {@code status.reservedFor}
 */
public record CachedClaim(ClaimFacts facts, boolean held, ImmutableList<Consumer> consumers) {

  /**
   * A consumer of the claim.
   *
   * @param apiGroup empty for the core group
   */
  public record Consumer(String apiGroup, String resource, String name, String uid) {}
}
