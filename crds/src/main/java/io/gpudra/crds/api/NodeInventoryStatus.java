package io.gpudra.crds.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.gson.annotations.SerializedName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Written by the node's plugin alone; times are RFC 3339 text, sizes are bytes.
 *
 * @param heartbeatSeconds the plugin promises a new {@code heartbeatTime} this often
 * @param summary for people: {@code 8x NVIDIA A100-SXM4-80GB}
 * @param gpus number of GPUs
 * @param gpusInUse GPUs named by a prepared claim
 * @param models products, each shared by the devices that name it
 * @param preparedClaims what the node holds devices for
 */
public record NodeInventoryStatus(
    @Nullable String driverName,
    @Nullable String pluginVersion,
    @Nullable String bootID,
    @Nullable String heartbeatTime,
    @Nullable Integer heartbeatSeconds,
    @Nullable String driverVersion,
    @Nullable String cudaDriverVersion,
    @Nullable String summary,
    @Nullable Integer gpus,
    @Nullable Integer gpusInUse,
    @Nullable List<Model> models,
    @Nullable List<Device> devices,
    @Nullable List<Prepared> preparedClaims,
    @Nullable List<Condition> conditions) {

  /** One product; {@code memory} sizes are bytes. */
  public record Model(
      @Nullable String name,
      @Nullable String brand,
      @Nullable String architecture,
      @Nullable String cudaComputeCapability,
      @Nullable Long nominalMemory,
      @Nullable List<String> capabilities) {}

  /** One GPU; the product's name is that of an entry in {@link NodeInventoryStatus#models}. */
  public record Device(
      @Nullable String name,
      @Nullable String uuid,
      @Nullable Integer index,
      @Nullable Integer minor,
      @Nullable String model,
      @Nullable Long memory,
      @Nullable String pcieBusID,
      @Nullable String pcieRoot,
      @Nullable Integer numaNode,
      @Nullable Mig mig) {}

  /** Whether a GPU can be, or is, cut into MIG devices. */
  public enum Mig {
    @SerializedName("Unsupported")
    @JsonProperty("Unsupported")
    UNSUPPORTED,
    @SerializedName("Disabled")
    @JsonProperty("Disabled")
    DISABLED,
    @SerializedName("Enabled")
    @JsonProperty("Enabled")
    ENABLED
  }

  /** A claim the node holds devices for; {@code devices} are names such as {@code gpu-0}. */
  public record Prepared(
      @Nullable String uid,
      @Nullable String namespace,
      @Nullable String name,
      @Nullable List<String> devices,
      @Nullable String orphanedSince) {}

  /** As {@code metav1.Condition}. */
  public record Condition(
      @Nullable String type,
      @Nullable String status,
      @Nullable String reason,
      @Nullable String message,
      @Nullable String lastTransitionTime) {}
}
