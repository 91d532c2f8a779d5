package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.wire.WireRecord;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The limits and defaults of a ResourceClass, whose {@code parametersRef} names them. */
@WireRecord
public record GpuClassParameters(
    @Nullable String apiVersion,
    @Nullable String kind,
    @Nullable V1ObjectMeta metadata,
    @Nullable GpuClassParametersSpec spec,
    @Nullable ParametersStatus status) {

  /** The kind in manifests and references. */
  public static final String KIND = "GpuClassParameters";

  /** The plural in URLs. */
  public static final String PLURAL = "gpuclassparameters";

  /** Parameters without a status. */
  public GpuClassParameters(
      @Nullable String apiVersion,
      @Nullable String kind,
      @Nullable V1ObjectMeta metadata,
      @Nullable GpuClassParametersSpec spec) {
    this(apiVersion, kind, metadata, spec, null);
  }

  /** The object without its status. */
  public GpuClassParameters withoutStatus() {
    return new GpuClassParameters(apiVersion, kind, metadata, spec);
  }

  /** The spec; an empty one when it is absent. */
  public GpuClassParametersSpec specOrDefault() {
    return spec == null ? GpuClassParametersSpec.EMPTY : spec;
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
