package io.gpudra.controller.eviction;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.DeviceToleration;
import java.util.Optional;

/**
 * Tolerations of claims. To read them, all parameters are interpreted, so they are cached for a
 * while, and read anew before an eviction.
 */
final class TolerationCache {
  private final Evictor.Cluster cluster;
  private final Cache<ClaimUid, ImmutableList<DeviceToleration>> known;

  TolerationCache(Evictor.Cluster cluster, Ticker ticker) {
    this.cluster = cluster;
    this.known =
        CacheBuilder.newBuilder()
            .expireAfterWrite(ControllerDelays.TOLERATIONS)
            .ticker(ticker)
            .build();
  }

  /** The tolerations of exactly this claim; empty while they cannot be read. */
  Optional<ImmutableList<DeviceToleration>> of(ClaimRef ref, ClaimUid claim) {
    return Optional.ofNullable(known.getIfPresent(claim)).or(() -> read(ref, claim));
  }

  /** The same tolerations, read anew. */
  Optional<ImmutableList<DeviceToleration>> read(ClaimRef ref, ClaimUid claim) {
    Optional<ImmutableList<DeviceToleration>> now = cluster.tolerations(ref, claim);
    now.ifPresent(tolerations -> known.put(claim, tolerations));
    return now;
  }
}
