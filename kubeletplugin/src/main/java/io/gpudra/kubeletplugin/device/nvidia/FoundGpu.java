package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.device.nvml.GpuInstanceProfile;
import io.gpudra.kubeletplugin.device.nvml.NvmlGpu;
import java.io.IOException;

/**
 * A GPU as it was found.
 *
 * @param handle of the session
 * @param architecture a number of nvidia.md 1.4; 0 when unknown
 * @param profiles what it can be cut into, by the name that the inventory has
 */
record FoundGpu(
    Gpu gpu, NvmlGpu handle, int architecture, ImmutableMap<String, GpuInstanceProfile> profiles) {

  FoundGpu with(MigState mig) {
    return new FoundGpu(gpu.with(mig), handle, architecture, profiles);
  }

  /** The same under another index. */
  FoundGpu at(int index) {
    return new FoundGpu(at(index, gpu), handle, architecture, profiles);
  }

  static Gpu at(int index, Gpu gpu) {
    return new Gpu(
        "gpu-" + index,
        gpu.uuid(),
        index,
        gpu.minor(),
        gpu.model(),
        gpu.memoryBytes(),
        gpu.pcieBusId(),
        gpu.pcieRoot(),
        gpu.numaNode(),
        gpu.mig(),
        gpu.taints());
  }

  /** The kind of GPU instance that the slice is of. */
  GpuInstanceProfile profile(Slice slice) throws IOException {
    GpuInstanceProfile known = profiles.get(slice.profile());
    if (known == null) {
      throw new IOException(
          "%s has no MIG profile %s; it has %s"
              .formatted(gpu.name(), slice.profile(), String.join(", ", profiles.keySet())));
    }
    return known;
  }
}
