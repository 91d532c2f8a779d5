package io.gpudra.kubeletplugin.cdi;

import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Share;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Gpu;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * One device of a claim as in its container (api.md 6.3).
 *
 * @param uuid of the MIG device, or of the GPU itself
 */
public record InjectedDevice(Gpu gpu, GrantedDevice device, String uuid) {

  private static final long MIB = 1L << 20;

  void describe(BiConsumer<String, String> environment) {
    String key = "GPU_DEVICE_" + gpu.index() + place();
    environment.accept(key, isSlice() ? device.name() : gpu.name());
    environment.accept(key + "_UUID", uuid);
    GrantedPart granted = device.part();
    BiConsumer<String, String> of = (name, value) -> environment.accept(key + "_" + name, value);
    describe(granted.sharing(), of);
    if (granted.part() instanceof Slice slice) {
      of.accept("PROFILE", profile(slice));
      of.accept("PARENT_UUID", gpu.uuid());
    }
    if (granted.part() instanceof Share share) {
      describe(share, granted.sharing(), of);
    }
    granted.request().ifPresent(request -> of.accept("REQUEST", request));
  }

  private boolean isSlice() {
    return slice().isPresent();
  }

  /** The MIG device, unless the device is a whole GPU or a share. */
  public Optional<Slice> slice() {
    return device.part().part() instanceof Slice slice ? Optional.of(slice) : Optional.empty();
  }

  /** The place of the device: different for any two devices that one container may have. */
  private String place() {
    Part part = device.part().part();
    return part instanceof Slice slice
        ? "_" + slice.start() + slice.instance().map(ci -> "_" + ci.start()).orElse("")
        : "";
  }

  private static String profile(Slice slice) {
    return slice.instance().map(Instance::compute).map(c -> c + "c.").orElse("") + slice.profile();
  }

  private static void describe(SharingStrategy sharing, BiConsumer<String, String> of) {
    of.accept("SHARING_STRATEGY", sharing.strategy());
    if (sharing instanceof SharingStrategy.TimeSlicing turns) {
      of.accept("TIMESLICE_INTERVAL", turns.interval().text());
    }
    if (sharing instanceof SharingStrategy.SpacePartitioning equal) {
      of.accept("PARTITION_COUNT", String.valueOf(equal.parts()));
    }
    if (sharing instanceof SharingStrategy.Mps mps) {
      mps.activeThreadPercentage()
          .ifPresent(percent -> of.accept("MPS_ACTIVE_THREAD_PERCENTAGE", String.valueOf(percent)));
      mps.pinnedMemoryBytes()
          .ifPresent(bytes -> of.accept("MPS_PINNED_MEMORY_LIMIT", MemorySize.exactText(bytes)));
    }
  }

  private static void describe(
      Share share, SharingStrategy sharing, BiConsumer<String, String> of) {
    of.accept("MEMORY", MemorySize.exactText(share.memoryBytes()));
    if (share.millicores() > 0) {
      of.accept("COMPUTE", String.valueOf(share.millicores()));
    }
    of.accept("MEMORY_ENFORCED", String.valueOf(sharing instanceof SharingStrategy.Mps));
  }

  /** Sets the limits of a client of the GPU's server, which are those of the share. */
  void limitClient(BiConsumer<String, String> environment) {
    if (device.part().part() instanceof Share share
        && device.part().sharing() instanceof SharingStrategy.Mps mps) {
      long memory = mps.pinnedMemoryBytes().orElse(share.memoryBytes());
      environment.accept("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=" + memory / MIB + "M");
      int threads = mps.activeThreadPercentage().orElse(share.millicores() / 10);
      if (threads > 0) {
        environment.accept("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", String.valueOf(threads));
      }
    }
  }
}
