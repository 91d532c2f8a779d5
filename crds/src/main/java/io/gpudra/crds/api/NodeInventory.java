package io.gpudra.crds.api;

import io.gpudra.crds.wire.WireRecord;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.jspecify.annotations.Nullable;

/** The GPUs of one node; its name is the node's name. */
@WireRecord
public record NodeInventory(
    @Nullable String apiVersion,
    @Nullable String kind,
    @Nullable V1ObjectMeta metadata,
    @Nullable NodeInventorySpec spec,
    @Nullable NodeInventoryStatus status) {

  /** The kind in manifests and references. */
  public static final String KIND = "NodeInventory";

  /** The plural in URLs. */
  public static final String PLURAL = "nodeinventories";
}
