package io.gpudra.crds.usage;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import java.util.Optional;
import java.util.stream.Stream;

/** The capacity that is left of a GPU in use, or of one with MIG devices of others. */
public record RemainingCapacity(Gpu gpu, GpuUsage usage) {
  private static final ClaimUid ANY_CLAIM = new ClaimUid("");
  private static final int ALL = 100;

  /** Whether one more part of the GPU can be allocated. */
  public boolean any() {
    return switch (usage.kind()) {
      case FREE, SLICED -> slices().filter(this::isClear).anyMatch(usage::fits);
      case SHARED -> usage.fits(smallestShare());
      case WHOLE, OVERFULL -> false;
    };
  }

  /** Whether no claim has the place, which takes less time than to check whether it fits. */
  private boolean isClear(PartHolding slice) {
    return usage.holdings().stream().noneMatch(holding -> meet(holding.part().part(), slice));
  }

  private static boolean meet(Part part, PartHolding slice) {
    return part instanceof Part.Slice one
        && slice.part().part() instanceof Part.Slice other
        && one.overlaps(other);
  }

  private Stream<PartHolding> slices() {
    Stream<PartHolding> made = gpu.model().migProfiles().stream().flatMap(this::slices);
    Stream<PartHolding> there =
        gpu.mig().devices().stream()
            .filter(MigState.Device::isStatic)
            .filter(device -> device.taints().isEmpty())
            .map(MigState.Device::slice)
            .map(slice -> slice(slice, /* existing= */ true));
    return Stream.concat(made, there);
  }

  private Stream<PartHolding> slices(MigProfile profile) {
    return profile.starts().stream()
        .map(
            start ->
                new Part.Slice(
                    profile.name(), start, profile.size(), profile.compute(), Optional.empty()))
        .map(slice -> slice(slice, /* existing= */ false));
  }

  private PartHolding slice(Part.Slice slice, boolean existing) {
    return holding(slice, SharingStrategy.NONE, ALL, existing);
  }

  /**
   * The smallest share with the settings of the other shares, since all shares of a GPU have the
   * same.
   */
  private PartHolding smallestShare() {
    GrantedPart other = ImmutableList.copyOf(usage.holdings()).get(0).part();
    return holding(new Part.Share(1, 0), other.sharing(), other.overcommitPercent(), false);
  }

  private PartHolding holding(
      Part part, SharingStrategy sharing, int overcommit, boolean existing) {
    return new PartHolding(
        ANY_CLAIM,
        new GrantedPart(
            gpu.uuid(), part, sharing, overcommit, existing, Optional.empty(), Optional.empty()));
  }
}
