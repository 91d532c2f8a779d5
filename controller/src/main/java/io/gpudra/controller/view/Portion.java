package io.gpudra.controller.view;

import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.usage.Holding;
import io.gpudra.crds.usage.Usage;

/** How much of a GPU parts are: 1 is all of it, of MIG devices and shares their memory counts. */
final class Portion {
  private Portion() {}

  /** Of everything that is taken; what is carved out of a part counts with that. */
  static double of(Usage usage, Gpu gpu) {
    return usage.outermost().stream().mapToDouble(holding -> of(holding, gpu)).sum();
  }

  private static double of(Holding holding, Gpu gpu) {
    return of(holding.part().part(), gpu);
  }

  /** Of one part. */
  static double of(Part part, Gpu gpu) {
    if (part instanceof Part.Slice slice) {
      return (double) slice.size() / Math.max(slice.end(), memorySlices(gpu));
    }
    return part instanceof Part.Share share && gpu.memoryBytes() > 0
        ? (double) share.memoryBytes() / gpu.memoryBytes()
        : 1;
  }

  private static int memorySlices(Gpu gpu) {
    return gpu.model().migProfiles().stream().mapToInt(Portion::end).max().orElse(1);
  }

  private static int end(MigProfile profile) {
    return profile.size() + (profile.starts().isEmpty() ? 0 : profile.starts().last());
  }
}
