package io.gpudra.crds.usage;

import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigProfile;

/**
 * How much of a GPU parts are: 1 is all of it. Of MIG devices and shares their memory counts, of a
 * compute instance its part of the GPU instance.
 */
public final class Portion {
  private Portion() {}

  /** Of everything that is taken; what is carved out of a part counts with that. */
  public static double of(Usage usage, Gpu gpu) {
    return usage.outermost().stream().mapToDouble(holding -> of(holding.part().part(), gpu)).sum();
  }

  /** Of one part. */
  public static double of(Part part, Gpu gpu) {
    if (part instanceof Part.Slice slice) {
      return computeOf(slice) * slice.size() / Math.max(slice.end(), memorySlices(gpu));
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

  private static int memorySlices(Gpu gpu) {
    return gpu.model().migProfiles().stream().mapToInt(Portion::end).max().orElse(1);
  }

  private static int end(MigProfile profile) {
    return profile.size() + (profile.starts().isEmpty() ? 0 : profile.starts().last());
  }
}
