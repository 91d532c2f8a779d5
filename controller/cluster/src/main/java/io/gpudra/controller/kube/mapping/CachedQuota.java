package io.gpudra.controller.kube.mapping;

import static java.util.Objects.requireNonNull;

import io.gpudra.crds.api.quota.GpuQuota;
import io.gpudra.crds.api.quota.GpuQuotaSpec;
import io.gpudra.crds.api.quota.GpuQuotaStatus;
import java.util.Optional;

/** The cached fields of a quota without problems. */
public record CachedQuota(GpuQuotaSpec spec, Optional<GpuQuotaStatus> status) {

  /** Rejects a quota with problems, so that its last readable version counts. */
  public static CachedQuota of(GpuQuota object) {
    if (!object.problems().isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", object.problems()));
    }
    return new CachedQuota(requireNonNull(object.spec()), Optional.ofNullable(object.status()));
  }
}
