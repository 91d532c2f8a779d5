package io.gpudra.crds.api.parameters;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.gson.annotations.SerializedName;

/**
 * Which GPU of a node is taken first; for Immediate claims also which node. A value that this
 * version does not know reads as absent.
 */
public enum PlacementPolicy {
  /** Fill what is already in use. */
  @SerializedName("pack")
  @JsonProperty("pack")
  PACK,
  /** Prefer what is least used. */
  @SerializedName("spread")
  @JsonProperty("spread")
  SPREAD
}
