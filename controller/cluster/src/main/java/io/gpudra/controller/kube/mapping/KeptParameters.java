package io.gpudra.controller.kube.mapping;

import io.gpudra.controller.status.StoredStatus;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import java.util.OptionalLong;

/**
 * What is remembered of parameters: what their author wrote, and of their status as much as tells
 * it from another one.
 */
public record KeptParameters<P>(P object, long generation, StoredStatus stored) {

  /** Of a claim. */
  public static KeptParameters<GpuClaimParameters> of(GpuClaimParameters object) {
    return of(object.withoutStatus(), object.generation(), StoredStatus.of(object.status()));
  }

  /** Of a class. */
  public static KeptParameters<GpuClassParameters> of(GpuClassParameters object) {
    return of(object.withoutStatus(), object.generation(), StoredStatus.of(object.status()));
  }

  private static <P> KeptParameters<P> of(P object, OptionalLong generation, StoredStatus stored) {
    return new KeptParameters<>(object, generation.orElse(0), stored);
  }

  /** Whether the status is about what is written there now. */
  public boolean isJudged() {
    return stored.generation() == generation && generation != 0;
  }
}
