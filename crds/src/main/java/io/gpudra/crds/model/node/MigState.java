package io.gpudra.crds.model.node;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu.MigMode;
import java.util.Optional;
import java.util.Set;

/**
 * The MIG mode and the MIG devices of a GPU.
 *
 * @param switchable the driver may switch the mode while the GPU is idle
 * @param devices those that exist now
 */
public record MigState(MigMode mode, boolean switchable, ImmutableList<Device> devices) {

  /**
   * A MIG device as the driver found it on the GPU.
   *
   * @param uuid of this MIG device; a new one each time it is created
   * @param claim for which it was created; absent when this driver did not create it, and then it
   *     is never destroyed
   * @param foreign whether other software uses it; a device without claim that is not foreign is
   *     static and can be allocated as is
   * @param taints added by the plugin to keep claims away from this device alone
   */
  public record Device(
      String uuid,
      Part.Slice slice,
      Optional<ClaimUid> claim,
      boolean foreign,
      ImmutableList<DeviceTaint> taints) {

    private static final char PATH = '/';

    /** A device without taints. */
    public Device(String uuid, Part.Slice slice, Optional<ClaimUid> claim, boolean foreign) {
      this(uuid, slice, claim, foreign, ImmutableList.of());
    }

    /** Whether an administrator made the device, and no other software uses it. */
    public boolean isStatic() {
      return claim.isEmpty() && !foreign;
    }

    /** Whether the device is in the GPU instance that the slice is, or is in. */
    public boolean isIn(Part.Slice other) {
      return slice.wholeInstance().samePlace(other.wholeInstance());
    }

    /** The same device with other taints. */
    public Device with(ImmutableList<DeviceTaint> others) {
      return new Device(uuid, slice, claim, foreign, others);
    }

    /**
     * The {@link #uuid} of a GPU instance without compute instance, to which the driver gives none.
     *
     * @param number of the GPU instance
     */
    public static String halfMade(String gpuUuid, int number) {
      return "MIG-" + gpuUuid + PATH + number;
    }

    /** Whether the device has a compute instance; a device without one cannot be used. */
    public boolean isWhole() {
      // Before driver 470 a UUID names the GPU and both instances.
      return uuid.chars().filter(character -> character == PATH).count() != 1;
    }
  }

  /** The same mode without the devices of other claims than these; static ones stay. */
  MigState only(Set<ClaimUid> claims) {
    return with(
        devices.stream().filter(device -> stays(device, claims)).collect(toImmutableList()));
  }

  boolean isOnly(Set<ClaimUid> claims) {
    return devices.stream().allMatch(device -> stays(device, claims));
  }

  private static boolean stays(Device device, Set<ClaimUid> claims) {
    return device.claim().map(claims::contains).orElse(true);
  }

  /** The same mode with other MIG devices. */
  public MigState with(ImmutableList<Device> others) {
    return new MigState(mode, switchable, others);
  }

  /** Whether one of the MIG devices has a taint. */
  public boolean isTainted() {
    for (Device device : devices) {
      if (!device.taints().isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** Taints of the MIG devices of the GPU instance that the slice is, or is in. */
  public ImmutableSet<DeviceTaint> taintsIn(Part.Slice slice) {
    return isTainted()
        ? devices.stream()
            .filter(device -> device.isIn(slice))
            .flatMap(device -> device.taints().stream())
            .collect(toImmutableSet())
        : ImmutableSet.of();
  }

  /** A state without MIG devices, in a mode that only an administrator changes. */
  public static MigState of(MigMode mode) {
    return new MigState(mode, /* switchable= */ false, ImmutableList.of());
  }
}
