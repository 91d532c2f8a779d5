package io.gpudra.controller.gpu.cel;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The subject of a condition: a GPU on its node, or an existing or possible MIG device on it.
 *
 * @param mig absent for the whole GPU
 */
public record CelDevice(String driver, Inventory inventory, Gpu gpu, Optional<MigDevice> mig) {

  private static final String NVLINK = "nvlink";
  private static final long GIBI = 1L << 30;
  private static final Pattern SIZE_OF_PROFILE = Pattern.compile("[.](\\d{1,5})gb");

  /**
   * A MIG device.
   *
   * @param uuid of an existing device
   */
  public record MigDevice(Part.Slice slice, Optional<String> uuid) {}

  /** A whole GPU. */
  public CelDevice(String driver, Inventory inventory, Gpu gpu) {
    this(driver, inventory, gpu, Optional.empty());
  }

  String name() {
    return mig.map(one -> one.slice().nameOn(gpu.name())).orElse(gpu.name());
  }

  /** The UUID; empty for a MIG device that does not exist yet. */
  String uuid() {
    return mig.isEmpty() ? gpu.uuid() : mig.get().uuid().orElse("");
  }

  String type() {
    return mig.isEmpty() ? "gpu" : "mig";
  }

  long memoryBytes() {
    return mig.isEmpty() ? gpu.memoryBytes() : memoryBytes(mig.get().slice());
  }

  /** A compute instance has all the memory of its GPU instance. */
  private long memoryBytes(Part.Slice slice) {
    return gpu.model().migProfiles().stream()
        .filter(profile -> profile.name().equals(slice.profile()))
        .mapToLong(MigProfile::memoryBytes)
        .findFirst()
        .orElse(0);
  }

  /** The advertised size; for a MIG device the size in the name of its profile. */
  public long nominalMemoryBytes() {
    return mig.isEmpty() ? gpu.model().nominalMemoryBytes() : nominalBytes(mig.get().slice());
  }

  private long nominalBytes(Part.Slice slice) {
    Matcher size = SIZE_OF_PROFILE.matcher(slice.profile());
    return size.find()
        ? Long.parseLong(size.group(1)) * GIBI
        : MemorySize.nominalOfReported(memoryBytes(slice));
  }

  /** A MIG device exists only while the mode is on. */
  boolean migEnabled() {
    return mig.isPresent() || gpu.mig().mode() == Gpu.MigMode.ENABLED;
  }

  String migProfile() {
    return mig.map(one -> one.slice().written()).orElse("");
  }

  String parentUuid() {
    return mig.isEmpty() ? "" : gpu.uuid();
  }

  /** The number of GPUs of the node that it reaches over NVLink; 0 for MIG devices. */
  long nvlinkPeers() {
    return mig.isPresent()
        ? 0
        : inventory.links().stream()
            .map(GpuLink::gpuUuids)
            .filter(linked -> linked.contains(gpu.uuid()))
            .flatMap(ImmutableSet::stream)
            .filter(other -> !other.equals(gpu.uuid()))
            .distinct()
            .count();
  }

  /** The capabilities of the model; NVLink depends on the GPU where links are known. */
  public ImmutableSet<String> capabilities() {
    ImmutableSortedSet<String> ofModel = gpu.model().capabilities();
    if (mig.isEmpty() && inventory.links().isEmpty()) {
      return ofModel;
    }
    boolean linked = nvlinkPeers() > 0;
    if (linked == ofModel.contains(NVLINK)) {
      return ofModel;
    }
    return linked
        ? ImmutableSortedSet.<String>naturalOrder().addAll(ofModel).add(NVLINK).build()
        : ofModel.stream().filter(one -> !one.equals(NVLINK)).collect(toImmutableSet());
  }

  /** The same as a list. */
  ImmutableList<String> capabilityList() {
    return capabilities().asList();
  }
}
