package io.gpudra.crds.usage;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part.Share;
import io.gpudra.crds.model.Sharing;
import java.util.Optional;

/** Which shares can be of one GPU at the same time. */
final class Shares {
  /** The limit for clients of one MPS server, which also suffices for time slices. */
  static final int MAX = 48;

  private static final int ALL_MILLICORES = 1_000;

  private Shares() {}

  static Optional<Conflict> conflict(GpuShape gpu, ImmutableList<Holding> shares) {
    if (shares.stream().map(Holding::claim).distinct().count() < shares.size()) {
      return Optional.of(Conflict.SHARE_TWICE);
    }
    if (shares.stream().anyMatch(share -> isPartitioned(share.part().sharing()))) {
      return Optional.of(Conflict.PARTITIONED);
    }
    if (shares.stream().map(share -> share.part().sharing().setting()).distinct().count() > 1) {
      return Optional.of(Conflict.SETTINGS);
    }
    if (shares.size() > MAX) {
      return Optional.of(Conflict.SHARES);
    }
    if (shares.stream().mapToInt(share -> share(share).millicores()).sum() > ALL_MILLICORES) {
      return Optional.of(Conflict.MILLICORES);
    }
    return memory(gpu, shares);
  }

  private static Optional<Conflict> memory(GpuShape gpu, ImmutableList<Holding> shares) {
    long left = promised(gpu, shares);
    for (Holding share : shares) {
      long wanted = share(share).memoryBytes();
      if (wanted > left) {
        return Optional.of(Conflict.MEMORY);
      }
      left -= wanted;
    }
    return Optional.empty();
  }

  private static boolean isPartitioned(Sharing sharing) {
    return sharing instanceof Sharing.SpacePartitioning;
  }

  private static Share share(Holding holding) {
    return (Share) holding.part().part();
  }

  /** The limit of the strictest class. */
  private static long promised(GpuShape gpu, ImmutableList<Holding> shares) {
    int percent =
        shares.stream()
            .map(Holding::part)
            .mapToInt(GrantedPart::overcommitPercent)
            .min()
            .orElse(100);
    return LongMath.saturatedAdd(
        LongMath.saturatedMultiply(gpu.memoryBytes() / 100, percent),
        gpu.memoryBytes() % 100 * percent / 100);
  }
}
