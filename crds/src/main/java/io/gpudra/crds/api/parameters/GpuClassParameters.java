package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.wire.WireRecord;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/** What a ResourceClass allows and defaults; referenced by its {@code parametersRef}. */
@WireRecord
public record GpuClassParameters(
    @Nullable String apiVersion,
    @Nullable String kind,
    @Nullable V1ObjectMeta metadata,
    @Nullable GpuClassParametersSpec spec)
    implements KubernetesObject {

  /** Kind as written in manifests and references. */
  public static final String KIND = "GpuClassParameters";

  /** Plural as written in URLs. */
  public static final String PLURAL = "gpuclassparameters";

  @Override
  public @Nullable String getApiVersion() {
    return apiVersion;
  }

  @Override
  public @Nullable String getKind() {
    return kind;
  }

  @Override
  public @Nullable V1ObjectMeta getMetadata() {
    return metadata;
  }

  /** The spec; a spec that says nothing when it is absent. */
  public GpuClassParametersSpec specOrDefault() {
    return spec == null ? GpuClassParametersSpec.NOTHING_SAID : spec;
  }

  /** What is wrong with the object as stored, field by field; empty when nothing is. */
  public ImmutableList<String> problems() {
    return specOrDefault().problems();
  }
}
