package io.gpudra.kubeletplugin.prepare.step;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.device.mps.MpsServer;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * The devices of a claim that processes use through one MPS server. A container finds at most one
 * server, so all exclusive devices of a claim share one. A share belongs to a GPU that has a server
 * for all claims.
 *
 * @param devices at least one
 */
public record MpsClients(ImmutableList<GrantedDevice> devices) {

  private static final long MIB = 1L << 20;

  /** Up to 494, of CUDA 11.4. */
  private static final Pattern WITHOUT_LIMITS =
      Pattern.compile("(?:3\\d\\d|4[0-8]\\d|49[0-4])\\..*");

  /** The MPS devices of a grant, if it has any. */
  public static Optional<MpsClients> of(Grant grant) {
    ImmutableList<GrantedDevice> served =
        grant.devices().stream()
            .filter(device -> !device.parent() && isServed(device.part().sharing()))
            .collect(toImmutableList());
    return served.isEmpty() ? Optional.empty() : Optional.of(new MpsClients(served));
  }

  /** Whether this sharing uses a server. */
  public static boolean isServed(SharingStrategy sharing) {
    return !(sharing instanceof SharingStrategy.TimeSlicing);
  }

  /**
   * The reason why no server can serve the devices.
   *
   * @param driver version, as far as it is known
   */
  public Optional<String> problem(String driver) {
    if (!fitAServer()) {
      return Optional.of(
          "an MPS server has one MIG device, and the grant has %d devices with MPS; make a claim of"
                  .formatted(devices.size())
              + " each");
    }
    return areLimited() && WITHOUT_LIMITS.matcher(driver).matches()
        ? Optional.of(
            "driver %s holds no client of MPS to a limit of memory, which takes 495 or newer; update"
                    .formatted(driver)
                + " the driver, or claim without a limit of memory")
        : Optional.empty();
  }

  /** Whether they fit one server, which has any number of whole GPUs, or one MIG device. */
  private boolean fitAServer() {
    return devices.size() == 1
        || devices.stream().noneMatch(device -> device.part().part() instanceof Part.Slice);
  }

  /** Whether limits are enforced, by the server or by the variables of each client. */
  private boolean areLimited() {
    return devices.stream()
        .map(GrantedDevice::part)
        .anyMatch(
            part ->
                part.part() instanceof Part.Share
                    || !(part.sharing() instanceof SharingStrategy.Mps mps)
                    || mps.pinnedMemoryBytes().isPresent());
  }

  /** The name of the server. */
  String name() {
    return devices.get(0).name();
  }

  /** The wanted state of the server; its devices must exist. */
  MpsServer server(GpuDevices hardware) throws IOException {
    ImmutableSortedMap.Builder<String, Long> pinned = ImmutableSortedMap.naturalOrder();
    for (GrantedDevice device : devices) {
      pinned.put(GpuSteps.uuid(hardware, device), pinned(hardware, device));
    }
    return new MpsServer(name(), pinned.buildOrThrow(), threads());
  }

  /** The limit of a device. Clients that share a device have limits of their own. */
  private static long pinned(GpuDevices hardware, GrantedDevice device) throws IOException {
    if (device.part().part() instanceof Part.Share) {
      return 0;
    }
    SharingStrategy sharing = device.part().sharing();
    if (sharing instanceof SharingStrategy.SpacePartitioning equal) {
      return GpuSteps.gpu(hardware, device.uuid()).memoryBytes() / equal.parts() / MIB * MIB;
    }
    return sharing instanceof SharingStrategy.Mps mps ? mps.pinnedMemoryBytes().orElse(0) : 0;
  }

  private OptionalInt threads() {
    GrantedDevice first = devices.get(0);
    if (first.part().part() instanceof Part.Share) {
      return OptionalInt.empty();
    }
    SharingStrategy sharing = first.part().sharing();
    if (sharing instanceof SharingStrategy.SpacePartitioning equal) {
      return OptionalInt.of(100 / equal.parts());
    }
    return sharing instanceof SharingStrategy.Mps mps
        ? mps.activeThreadPercentage()
        : OptionalInt.empty();
  }
}
