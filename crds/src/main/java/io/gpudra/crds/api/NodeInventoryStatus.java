package io.gpudra.crds.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.gson.annotations.SerializedName;
import io.gpudra.crds.text.UtcTimes;
import io.gpudra.crds.wire.PartEntry;
import io.gpudra.crds.wire.SharingEntry;
import io.gpudra.crds.wire.WireRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Only the node's plugin writes it. Times are RFC 3339 text, sizes are bytes. {@code
 * InventoryCodec} turns it into the model and back.
 *
 * @param heartbeatSeconds the plugin promises a new {@code heartbeatTime} this often
 * @param summary for people: {@code 8x NVIDIA A100-SXM4-80GB}
 * @param gpus number of GPUs
 * @param gpusInUse GPUs named by a prepared claim
 * @param gpusTainted GPUs with a taint of the plugin, on the GPU or a MIG device; absent when there
 *     is none
 * @param models products, each shared by the devices that name it
 * @param links which GPUs reach each other without the PCIe bus
 * @param handleFormat the highest format of the resource handle that the plugin reads; absent for
 *     the first
 * @param preparedClaims claims for which the node holds devices
 */
@WireRecord
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
    @Nullable Integer gpusTainted,
    @Nullable List<Model> models,
    @Nullable List<Device> devices,
    @Nullable List<Link> links,
    @Nullable Integer handleFormat,
    @Nullable List<Prepared> preparedClaims,
    @Nullable List<Condition> conditions) {

  private static final int DEFAULT_HEARTBEAT_SECONDS = 60;
  private static final int MAX_HEARTBEAT_SECONDS = 3600;

  /** One product; {@code memory} sizes are bytes. */
  @WireRecord
  public record Model(
      @Nullable String name,
      @Nullable String brand,
      @Nullable String architecture,
      @Nullable String cudaComputeCapability,
      @Nullable Long nominalMemory,
      @Nullable List<String> capabilities,
      @Nullable List<Profile> migProfiles) {}

  /**
   * A MIG profile of a product.
   *
   * @param memory bytes
   * @param compute number of compute slices
   * @param size number of memory slices
   * @param starts first memory slices at which a device can be
   * @param most maximum number on one GPU
   */
  @WireRecord
  public record Profile(
      @Nullable String profile,
      @Nullable Long memory,
      @Nullable Integer compute,
      @Nullable Integer size,
      @Nullable List<Integer> starts,
      @Nullable Integer most) {}

  /** One GPU; the product's name is that of an entry in {@link NodeInventoryStatus#models}. */
  @WireRecord
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
      @Nullable Map<String, String> attributes,
      @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL) @Nullable Mig mig,
      @Nullable Boolean migSwitchable,
      @Nullable List<MigDevice> migDevices,
      @Nullable List<Taint> taints) {}

  /**
   * A MIG device that exists on the GPU.
   *
   * @param profile name of an entry in the model's profiles
   * @param start first memory slice
   * @param size number of memory slices
   * @param claimUID the claim for which it was created; absent when this driver did not create it
   * @param foreign whether software other than this driver uses it
   * @param taints reasons to keep claims away from this device alone
   */
  @WireRecord
  public record MigDevice(
      @Nullable String uuid,
      @Nullable String profile,
      @Nullable Integer start,
      @Nullable Integer size,
      @Nullable String claimUID,
      @Nullable Boolean foreign,
      @Nullable List<Taint> taints) {}

  /**
   * The plugin's reason to keep claims away from a GPU or a MIG device.
   *
   * @param effect NoSchedule or NoExecute
   * @param reason for people
   */
  @WireRecord
  public record Taint(
      @Nullable String key,
      @Nullable String value,
      @Nullable String effect,
      @Nullable String reason,
      @Nullable String timeAdded) {}

  /**
   * GPUs every pair of which is connected.
   *
   * @param devices names such as {@code gpu-0}
   * @param type NVLink or NVSwitch
   * @param lanes of each pair
   */
  @WireRecord
  public record Link(
      @Nullable List<String> devices, @Nullable String type, @Nullable Integer lanes) {}

  /** Whether a GPU supports MIG, or is in MIG mode. */
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

  /**
   * A claim for which the node holds devices; {@code devices} are names such as {@code gpu-0}, or
   * the UUID of a device that does not exist any more.
   *
   * @param parts the held parts of the devices; devices without a part are held whole
   * @param sharing the settings that parts refer to
   * @param waits the reason why its containers wait
   */
  @WireRecord
  public record Prepared(
      @Nullable String uid,
      @Nullable String namespace,
      @Nullable String name,
      @Nullable List<String> devices,
      @Nullable List<PartEntry> parts,
      @Nullable List<SharingEntry> sharing,
      @Nullable String orphanedSince,
      @Nullable String waits) {}

  /** A condition as in {@code metav1.Condition}. */
  @WireRecord
  public record Condition(
      @Nullable String type,
      @Nullable String status,
      @Nullable String reason,
      @Nullable String message,
      @Nullable String lastTransitionTime) {}

  /** The time of the last heartbeat, by the node's clock; empty when it is not readable. */
  public Optional<Instant> heartbeat() {
    return instant(heartbeatTime);
  }

  /** The interval in which the plugin promises to write. */
  public Duration heartbeatInterval() {
    int seconds = heartbeatSeconds == null ? DEFAULT_HEARTBEAT_SECONDS : heartbeatSeconds;
    return Duration.ofSeconds(Math.max(1, Math.min(seconds, MAX_HEARTBEAT_SECONDS)));
  }

  /** The time; empty when the text is absent or no RFC 3339 time. */
  static Optional<Instant> instant(@Nullable String text) {
    return Optional.ofNullable(text).flatMap(UtcTimes::withAnyOffset);
  }
}
