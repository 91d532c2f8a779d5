package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.wire.WireRecord;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The request of a ResourceClaim, whose {@code parametersRef} names it. */
@WireRecord
public record GpuClaimParameters(
    @Nullable String apiVersion,
    @Nullable String kind,
    @Nullable V1ObjectMeta metadata,
    @Nullable GpuClaimParametersSpec spec,
    @Nullable ParametersStatus status) {

  /** The kind in manifests and references. */
  public static final String KIND = "GpuClaimParameters";

  /** The plural in URLs. */
  public static final String PLURAL = "gpuclaimparameters";

  /** Parameters without a status. */
  public GpuClaimParameters(
      @Nullable String apiVersion,
      @Nullable String kind,
      @Nullable V1ObjectMeta metadata,
      @Nullable GpuClaimParametersSpec spec) {
    this(apiVersion, kind, metadata, spec, null);
  }

  /** The object without its status. */
  public GpuClaimParameters withoutStatus() {
    return new GpuClaimParameters(apiVersion, kind, metadata, spec);
  }

  /** The spec; an empty one when it is absent. */
  public GpuClaimParametersSpec specOrDefault() {
    return spec == null ? GpuClaimParametersSpec.EMPTY : spec;
  }

  /** The generation of the spec; empty when the object has none. */
  public OptionalLong generation() {
    Long generation = metadata == null ? null : metadata.getGeneration();
    return generation == null ? OptionalLong.empty() : OptionalLong.of(generation);
  }

  /** The problems of the stored object, field by field. */
  public ImmutableList<String> problems() {
    return specOrDefault().problems();
  }
}
