package io.gpudra.crds.usage;

import static io.gpudra.crds.testing.GrantFixture.inside;
import static io.gpudra.crds.testing.GrantFixture.part;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import java.util.Optional;

/** Parts of an A100 with 40 GiB; nvidia.md 2.1. */
final class A100 {
  static final long GIB = GpuModels.GIB;
  static final String UUID = "GPU-0";

  static final GpuShape GPU = GpuShape.of(UUID, 40 * GIB, profiles());

  private A100() {}

  static ImmutableList<MigProfile> profiles() {
    return GpuModels.A100.migProfiles();
  }

  static ClaimUid claim(String name) {
    return new ClaimUid(name);
  }

  static PartHolding whole(String claim) {
    return holding(claim, GrantedPart.whole(UUID));
  }

  static PartHolding slice(String claim, String profile, int start) {
    return holding(claim, part(UUID, gpuInstance(profile, start, Optional.empty())));
  }

  static PartHolding sliceInside(String claim, String parent, String profile, int start) {
    GrantedPart part = part(UUID, gpuInstance(profile, start, Optional.empty()));
    return holding(claim, inside(claim(parent), part));
  }

  static PartHolding computeInside(
      String claim, String parent, String profile, int start, Instance instance) {
    Slice slice = gpuInstance(profile, start, Optional.of(instance));
    return holding(claim, inside(claim(parent), part(UUID, slice)));
  }

  static Slice gpuInstance(String profile, int start, Optional<Instance> instance) {
    return GpuModels.slice(GpuModels.A100, profile, start).with(instance);
  }

  static PartHolding share(String claim, long gib, int millicores) {
    return share(claim, gib, millicores, 100, SharingStrategy.NONE);
  }

  static PartHolding share(
      String claim, long gib, int millicores, int percent, SharingStrategy sharing) {
    return new PartHolding(
        claim(claim),
        new GrantedPart(
            UUID,
            new Part.Share(gib * GIB, millicores),
            sharing,
            percent,
            false,
            Optional.empty(),
            Optional.empty()));
  }

  static PartHolding existing(String claim, String profile, int start) {
    GrantedPart part = part(UUID, gpuInstance(profile, start, Optional.empty()));
    return holding(claim, GrantFixture.existing(part));
  }

  private static PartHolding holding(String claim, GrantedPart part) {
    return new PartHolding(claim(claim), part);
  }
}
