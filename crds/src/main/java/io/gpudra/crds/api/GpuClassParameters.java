package io.gpudra.crds.api;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/** What a ResourceClass allows and defaults; referenced by its {@code parametersRef}. */
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
}
