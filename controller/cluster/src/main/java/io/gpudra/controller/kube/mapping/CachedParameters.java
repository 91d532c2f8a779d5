package io.gpudra.controller.kube.mapping;

import io.gpudra.controller.status.StoredStatus;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import java.util.OptionalLong;

/** The cached fields of parameters: the spec, and enough of the status to detect a change. */
public record CachedParameters<P>(P object, long generation, StoredStatus stored) {

  /** For claim parameters. */
  public static CachedParameters<GpuClaimParameters> of(GpuClaimParameters object) {
    return of(object.withoutStatus(), object.generation(), StoredStatus.of(object.status()));
  }

  /** For class parameters. */
  public static CachedParameters<GpuClassParameters> of(GpuClassParameters object) {
    return of(object.withoutStatus(), object.generation(), StoredStatus.of(object.status()));
  }

  private static <P> CachedParameters<P> of(
      P object, OptionalLong generation, StoredStatus stored) {
    return new CachedParameters<>(object, generation.orElse(0), stored);
  }

  /** Whether the status is up to date. */
  public boolean hasCurrentStatus() {
    return stored.generation() == generation && generation != 0;
  }
}
