package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.device.nvml.GpuInstanceProfile;
import io.gpudra.kubeletplugin.device.nvml.NvmlGpu;
import java.io.IOException;
import java.util.Comparator;
import java.util.Map;

/**
 * A discovered GPU.
 *
 * @param handle of the session
 * @param architecture a number of nvidia.md 1.4; 0 when unknown
 * @param profiles of its MIG devices, by the name in the inventory
 */
record DiscoveredGpu(
    Gpu gpu, NvmlGpu handle, int architecture, ImmutableMap<String, GpuInstanceProfile> profiles) {

  DiscoveredGpu with(MigState mig) {
    return new DiscoveredGpu(gpu.with(mig), handle, architecture, profiles);
  }

  /** The same GPU under another index. */
  DiscoveredGpu at(int index) {
    return new DiscoveredGpu(gpu.toBuilder().at(index).build(), handle, architecture, profiles);
  }

  /** The profiles that fit the slice's place, first the one with its name. */
  ImmutableList<GpuInstanceProfile> profilesLike(Slice slice) {
    return profiles.values().stream()
        .filter(profile -> profile.size() == slice.size())
        .sorted(Comparator.comparing(profile -> !name(profile).equals(slice.profile())))
        .collect(toImmutableList());
  }

  /** The name of the profile in the inventory. */
  String name(GpuInstanceProfile profile) {
    return profiles.entrySet().stream()
        .filter(known -> known.getValue().equals(profile))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }

  /** The profile of the slice's GPU instance. */
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
