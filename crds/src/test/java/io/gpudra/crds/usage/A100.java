package io.gpudra.crds.usage;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.MigProfile;
import java.util.Objects;
import java.util.Optional;

/** Parts of an A100 with 40 GiB; nvidia.md 2.1. */
final class A100 {
  static final long GIB = 1L << 30;
  static final String UUID = "GPU-0";

  private static final ImmutableList<MigProfile> PROFILES =
      ImmutableList.of(
          profile("1g.5gb", 1, 1, 7, 0, 1, 2, 3, 4, 5, 6),
          profile("1g.5gb+me", 1, 1, 1, 0, 1, 2, 3, 4, 5, 6),
          profile("1g.10gb", 1, 2, 4, 0, 2, 4, 6),
          profile("2g.10gb", 2, 2, 3, 0, 2, 4),
          profile("3g.20gb", 3, 4, 2, 0, 4),
          profile("4g.20gb", 4, 4, 1, 0),
          profile("7g.40gb", 7, 8, 1, 0));

  static final GpuShape GPU = GpuShape.of(UUID, 40 * GIB, PROFILES);

  private A100() {}

  private static MigProfile profile(
      String name, int compute, int size, int most, Integer... starts) {
    return new MigProfile(
        name, 5 * GIB * size, compute, size, ImmutableSortedSet.copyOf(starts), most);
  }

  static ImmutableList<MigProfile> profiles() {
    return PROFILES;
  }

  static ClaimUid claim(String name) {
    return new ClaimUid(name);
  }

  static PartHolding whole(String claim) {
    return new PartHolding(claim(claim), GrantedPart.whole(UUID));
  }

  static PartHolding slice(String claim, String profile, int start) {
    return holding(claim, gpuInstance(profile, start, Optional.empty()), Optional.empty());
  }

  static PartHolding sliceInside(String claim, String parent, String profile, int start) {
    return holding(
        claim, gpuInstance(profile, start, Optional.empty()), Optional.of(claim(parent)));
  }

  static PartHolding computeInside(
      String claim, String parent, String profile, int start, Instance instance) {
    Slice slice = gpuInstance(profile, start, Optional.of(instance));
    return holding(claim, slice, Optional.of(claim(parent)));
  }

  static Slice gpuInstance(String profile, int start, Optional<Instance> instance) {
    MigProfile known = Objects.requireNonNull(GPU.profiles().get(profile), profile);
    return new Slice(profile, start, known.size(), known.compute(), instance);
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
    return new PartHolding(
        claim(claim),
        new GrantedPart(
            UUID,
            gpuInstance(profile, start, Optional.empty()),
            SharingStrategy.NONE,
            100,
            true,
            Optional.empty(),
            Optional.empty()));
  }

  private static PartHolding holding(String claim, Part part, Optional<ClaimUid> inside) {
    return new PartHolding(
        claim(claim),
        new GrantedPart(UUID, part, SharingStrategy.NONE, 100, false, inside, Optional.empty()));
  }
}
