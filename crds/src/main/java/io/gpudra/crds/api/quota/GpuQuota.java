package io.gpudra.crds.api.quota;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.wire.WireRecord;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/** The limits for what the claims of a namespace hold. */
@WireRecord
public record GpuQuota(
    @Nullable String apiVersion,
    @Nullable String kind,
    @Nullable V1ObjectMeta metadata,
    @Nullable GpuQuotaSpec spec,
    @Nullable GpuQuotaStatus status) {

  /** The kind in manifests. */
  public static final String KIND = "GpuQuota";

  /** The plural in URLs. */
  public static final String PLURAL = "gpuquotas";

  /** The problems of the object, field by field; without any, its amounts can be read. */
  public ImmutableList<String> problems() {
    return spec == null ? ImmutableList.of("spec: Required value") : spec.problems();
  }
}
