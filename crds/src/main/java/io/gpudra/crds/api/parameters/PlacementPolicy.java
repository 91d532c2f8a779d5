package io.gpudra.crds.api.parameters;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.gson.annotations.SerializedName;

/**
 * The GPU of a node that is allocated first; for Immediate claims also the node. A value that this
 * version does not know reads as absent.
 */
public enum PlacementPolicy {
  /** Fill the GPUs and nodes that are already in use. */
  @SerializedName("pack")
  @JsonProperty("pack")
  PACK,
  /** Prefer the GPUs and nodes that are used least. */
  @SerializedName("spread")
  @JsonProperty("spread")
  SPREAD
}
