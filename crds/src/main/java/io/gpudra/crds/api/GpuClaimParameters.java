package io.gpudra.crds.api;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/** What a ResourceClaim asks for; referenced by its {@code parametersRef}. */
public record GpuClaimParameters(
    @Nullable String apiVersion,
    @Nullable String kind,
    @Nullable V1ObjectMeta metadata,
    @Nullable GpuClaimParametersSpec spec)
    implements KubernetesObject {

  /** Kind as written in manifests and references. */
  public static final String KIND = "GpuClaimParameters";

  /** Plural as written in URLs. */
  public static final String PLURAL = "gpuclaimparameters";

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
