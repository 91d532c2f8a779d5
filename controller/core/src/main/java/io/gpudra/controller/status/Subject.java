package io.gpudra.controller.status;

import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;

/**
 * Parameters whose status is kept.
 *
 * @param key with an empty namespace those of a class
 * @param stored what their status says now
 */
public record Subject(ObjectKey key, String uid, long generation, Spec spec, StoredStatus stored) {

  /** What their author wrote. */
  public sealed interface Spec {}

  /** For claims. */
  public record OfClaim(GpuClaimParametersSpec spec) implements Spec {}

  /** For a class. */
  public record OfClass(GpuClassParametersSpec spec) implements Spec {}
}
