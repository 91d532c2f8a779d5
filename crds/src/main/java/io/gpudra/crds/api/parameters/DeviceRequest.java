package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.wire.WireRecord;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Devices of one kind: the fields that may stand in the spec itself or in each entry of {@code
 * requests} and {@code alternatives}. Enumerated fields stay text, so that a value of a later
 * schema is reported and not read as absent.
 *
 * @param name of an entry of {@code requests}; absent everywhere else
 * @param count devices, all on one node; 1 when absent
 * @param all every matching GPU of one node, all of them free
 * @param memory minimum nominal memory of each device, with unit, such as {@code 16Gi}
 * @param capabilities each device has all of these
 * @param migProfile kind of MIG device, such as {@code 1g.5gb}
 * @param cel condition over {@code device} that each device satisfies
 * @param mode whether other claims may use the same GPU
 * @param memoryLimit exact size reserved on each GPU for a shared claim
 * @param millicores compute reserved on each GPU for a shared claim, 1000 is all
 * @param sharing how clients of the claim share a device; the class decides when absent
 */
@WireRecord
public record DeviceRequest(
    @Nullable String name,
    @Nullable Integer count,
    @Nullable Boolean all,
    @Nullable String memory,
    @Nullable List<String> capabilities,
    @Nullable String migProfile,
    @Nullable String cel,
    @Nullable String mode,
    @Nullable String memoryLimit,
    @Nullable Integer millicores,
    @Nullable SharingSpec sharing) {

  /** One whole GPU. */
  public static final DeviceRequest EMPTY = sharedAs(null);

  /** A whole GPU that no other claim uses. */
  public static final String EXCLUSIVE = "exclusive";

  /** A part of a GPU beside parts of other claims. */
  public static final String SHARED = "shared";

  /** Allowed values of {@code mode}. */
  public static final ImmutableList<String> MODES = ImmutableList.of(EXCLUSIVE, SHARED);

  /** Allowed values in {@code capabilities}. */
  public static final ImmutableList<String> CAPABILITIES =
      ImmutableList.of(
          "tensorCores", "nvlink", "mig", "ecc", "mps", "rtCores", "bf16", "fp8", "fp4");

  /** The fields of a request that follow from the sharing of its class. */
  static DeviceRequest sharedAs(@Nullable SharingSpec sharing) {
    return new DeviceRequest(null, null, null, null, null, null, null, null, null, null, sharing);
  }

  /** The number of devices; without meaning with {@link #wantsAll}. */
  public int countOrDefault() {
    return count == null ? 1 : count;
  }

  /** Whether every matching GPU of a node is requested. */
  public boolean wantsAll() {
    return Boolean.TRUE.equals(all);
  }

  /** The minimum nominal memory in bytes; empty also when {@link #memory} is no size. */
  public OptionalLong nominalMemoryBytes() {
    return bytes(memory, MemorySize::nominalBytes);
  }

  /** The reserved memory in bytes; empty also when {@link #memoryLimit} is no size. */
  public OptionalLong memoryLimitBytes() {
    return bytes(memoryLimit, MemorySize::exactBytes);
  }

  private static OptionalLong bytes(@Nullable String text, ToLongFunction<MemorySize> reading) {
    return Optional.ofNullable(text).flatMap(MemorySize::parse).stream()
        .mapToLong(reading)
        .findFirst();
  }
}
