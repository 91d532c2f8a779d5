package io.gpudra.crds.usage;

import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigProfile;

/**
 * The portion of a GPU that parts hold: 1 is all of it. MIG devices and shares count by their
 * memory, a compute instance by its part of the GPU instance.
 */
public final class GpuFraction {
  private GpuFraction() {}

  /** The portion of a usage; a part includes the parts that are carved out of it. */
  public static double of(GpuUsage usage, Gpu gpu) {
    return usage.outermost().stream().mapToDouble(holding -> of(holding.part().part(), gpu)).sum();
  }

  /** The portion of one part. */
  public static double of(Part part, Gpu gpu) {
    if (part instanceof Part.Slice slice) {
      return computeOf(slice) * slice.size() / memorySlices(gpu, slice);
    }
    return part instanceof Part.Share share && gpu.memoryBytes() > 0
        ? (double) share.memoryBytes() / gpu.memoryBytes()
        : 1;
  }

  private static double computeOf(Part.Slice slice) {
    return slice
        .instance()
        .map(one -> (double) one.compute() / Math.max(one.compute(), slice.compute()))
        .orElse(1.0);
  }

  /** The memory slices of the GPU, of which this is a part. */
  public static int memorySlices(Gpu gpu, Part.Slice slice) {
    int known = gpu.model().migProfiles().stream().mapToInt(GpuFraction::end).max().orElse(1);
    return Math.max(slice.end(), known);
  }

  private static int end(MigProfile profile) {
    return profile.size() + (profile.starts().isEmpty() ? 0 : profile.starts().last());
  }
}
