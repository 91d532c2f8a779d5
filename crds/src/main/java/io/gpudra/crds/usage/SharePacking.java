package io.gpudra.crds.usage;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part.Share;
import io.gpudra.crds.model.SharingStrategy;
import java.util.Optional;

/** Decides which shares can be on one GPU at the same time. */
final class SharePacking {
  /** The limit for clients of one MPS server, which also suffices for time slices. */
  static final int MAX = 48;

  private static final int ALL_MILLICORES = 1_000;

  private SharePacking() {}

  static Optional<PartConflict> conflict(GpuShape gpu, ImmutableList<PartHolding> shares) {
    if (shares.stream().map(PartHolding::claim).distinct().count() < shares.size()) {
      return Optional.of(PartConflict.SHARE_TWICE);
    }
    if (shares.stream().anyMatch(share -> isPartitioned(share.part().sharing()))) {
      return Optional.of(PartConflict.PARTITIONED);
    }
    if (shares.stream().map(share -> share.part().sharing().setting()).distinct().count() > 1) {
      return Optional.of(PartConflict.SETTINGS);
    }
    if (shares.size() > MAX) {
      return Optional.of(PartConflict.SHARES);
    }
    if (shares.stream().mapToInt(share -> share(share).millicores()).sum() > ALL_MILLICORES) {
      return Optional.of(PartConflict.MILLICORES);
    }
    return memory(gpu, shares);
  }

  private static Optional<PartConflict> memory(GpuShape gpu, ImmutableList<PartHolding> shares) {
    long left = promised(gpu, shares);
    for (PartHolding share : shares) {
      long wanted = share(share).memoryBytes();
      if (wanted > left) {
        return Optional.of(PartConflict.MEMORY);
      }
      left -= wanted;
    }
    return Optional.empty();
  }

  private static boolean isPartitioned(SharingStrategy sharing) {
    return sharing instanceof SharingStrategy.SpacePartitioning;
  }

  private static Share share(PartHolding holding) {
    return (Share) holding.part().part();
  }

  /** The memory that may be allocated: the limit of the strictest class. */
  private static long promised(GpuShape gpu, ImmutableList<PartHolding> shares) {
    int percent =
        shares.stream()
            .map(PartHolding::part)
            .mapToInt(GrantedPart::overcommitPercent)
            .min()
            .orElse(100);
    return LongMath.saturatedAdd(
        LongMath.saturatedMultiply(gpu.memoryBytes() / 100, percent),
        gpu.memoryBytes() % 100 * percent / 100);
  }
}
