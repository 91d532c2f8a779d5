package io.gpudra.crds.api;

import io.gpudra.crds.wire.WireRecord;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/** The GPUs of one node; its name is the node's name. */
@WireRecord
public record NodeInventory(
    @Nullable String apiVersion,
    @Nullable String kind,
    @Nullable V1ObjectMeta metadata,
    @Nullable NodeInventorySpec spec,
    @Nullable NodeInventoryStatus status)
    implements KubernetesObject {

  /** The kind in manifests and references. */
  public static final String KIND = "NodeInventory";

  /** The plural in URLs. */
  public static final String PLURAL = "nodeinventories";

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
