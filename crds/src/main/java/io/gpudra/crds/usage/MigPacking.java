package io.gpudra.crds.usage;

import com.google.common.collect.ImmutableMultiset;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import java.util.List;
import java.util.Optional;

/** Decides which MIG devices can be on one GPU at the same time; nvidia.md 2.3. */
final class MigPacking {
  private MigPacking() {}

  /** The reason why these separate GPU instances cannot coexist. */
  static Optional<PartConflict> conflict(GpuShape gpu, List<Slice> instances) {
    if (!instances.stream().allMatch(gpu::offers)) {
      return Optional.of(PartConflict.NO_SUCH_SLICE);
    }
    if (overlap(instances)) {
      return Optional.of(PartConflict.SLICES_OVERLAP);
    }
    if (instances.stream().mapToInt(Slice::compute).sum() > gpu.compute()) {
      return Optional.of(PartConflict.COMPUTE);
    }
    ImmutableMultiset<String> profiles =
        instances.stream().map(Slice::profile).collect(ImmutableMultiset.toImmutableMultiset());
    if (profiles.elementSet().stream().anyMatch(name -> profiles.count(name) > gpu.most(name))) {
      return Optional.of(PartConflict.PROFILE_COUNT);
    }
    return mediaEngines(profiles);
  }

  private static boolean overlap(List<Slice> slices) {
    for (int i = 0; i < slices.size(); i++) {
      for (int j = 0; j < i; j++) {
        if (slices.get(i).overlaps(slices.get(j))) {
          return true;
        }
      }
    }
    return false;
  }

  private static Optional<PartConflict> mediaEngines(ImmutableMultiset<String> profiles) {
    long all = profiles.stream().filter(name -> name.endsWith("+me.all")).count();
    long one = profiles.stream().filter(name -> name.endsWith("+me")).count();
    long none = profiles.stream().filter(name -> name.endsWith("-me")).count();
    boolean fits = all == 0 ? one <= 1 : all == 1 && none == profiles.size() - 1;
    return fits ? Optional.empty() : Optional.of(PartConflict.MEDIA_ENGINES);
  }

  /** The reason why these slices of one GPU instance cannot coexist. */
  static Optional<PartConflict> conflictInside(GpuShape gpu, List<Slice> together) {
    for (int i = 0; i < together.size(); i++) {
      Slice one = together.get(i);
      if (!hasRoom(one)
          || together.subList(0, i).stream().anyMatch(other -> meet(gpu, one, other))) {
        return Optional.of(PartConflict.INSTANCES_OVERLAP);
      }
    }
    return Optional.empty();
  }

  private static boolean hasRoom(Slice slice) {
    return slice.instance().filter(i -> i.start() + i.compute() > slice.compute()).isEmpty();
  }

  /** A slice without a compute instance of its own occupies all of the GPU instance. */
  private static boolean meet(GpuShape gpu, Slice one, Slice other) {
    return one.instance().isEmpty()
        || other.instance().isEmpty()
        || room(gpu, one.instance().get()).overlaps(room(gpu, other.instance().get()));
  }

  private static Instance room(GpuShape gpu, Instance one) {
    return gpu.aligned() ? one.aligned() : one;
  }
}
