package io.gpudra.controller.kube.mapping;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.ClaimFacts;

/**
 * What is remembered of a claim at one resourceVersion; nothing else of the object is needed to
 * patch it.
 *
 * @param held whether any finalizer, ours or not, keeps a deleted claim from going
 * @param consumers as they stand in {@code status.reservedFor}
 */
public record KeptClaim(ClaimFacts facts, boolean held, ImmutableList<Consumer> consumers) {

  /**
   * One that uses the claim.
   *
   * @param apiGroup empty for the core group
   */
  public record Consumer(String apiGroup, String resource, String name, String uid) {}
}
