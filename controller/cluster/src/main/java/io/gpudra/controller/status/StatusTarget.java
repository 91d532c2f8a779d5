package io.gpudra.controller.status;

import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;

/**
 * Parameters whose status is maintained.
 *
 * @param key with an empty namespace for those of a class
 * @param stored their current status
 */
public record StatusTarget(
    ObjectKey key, String uid, long generation, Spec spec, StoredStatus stored) {

  /** The spec that their author wrote. */
  public sealed interface Spec {}

  /** The spec of claim parameters. */
  public record OfClaim(GpuClaimParametersSpec spec) implements Spec {}

  /** The spec of class parameters. */
  public record OfClass(GpuClassParametersSpec spec) implements Spec {}
}
