package io.gpudra.controller.eviction;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.DeviceToleration;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Tolerations of claims. Reading them takes all of the parameters, so they are remembered for a
 * while, and read anew before an eviction.
 */
final class TolerationCache {
  static final Duration REMEMBERED = Duration.ofSeconds(10);

  private final Evictor.Cluster cluster;
  private final Cache<ClaimUid, Optional<ImmutableList<DeviceToleration>>> known;

  TolerationCache(Evictor.Cluster cluster, Clock clock) {
    this.cluster = cluster;
    this.known =
        CacheBuilder.newBuilder().expireAfterWrite(REMEMBERED).ticker(new ByClock(clock)).build();
  }

  private static final class ByClock extends Ticker {
    private final Clock clock;

    ByClock(Clock clock) {
      this.clock = clock;
    }

    @Override
    public long read() {
      return TimeUnit.MILLISECONDS.toNanos(clock.millis());
    }
  }

  /** Of this very claim; empty while that cannot be read. */
  Optional<ImmutableList<DeviceToleration>> of(ClaimRef ref, ClaimUid claim) {
    Optional<ImmutableList<DeviceToleration>> last = known.getIfPresent(claim);
    return last == null ? read(ref, claim) : last;
  }

  /** Whether the claim still puts up with no more than it did when the use was judged. */
  boolean isStill(EvictionRules.GpuUse use) {
    return read(use.ref(), use.claim()).filter(use.tolerations()::equals).isPresent();
  }

  private Optional<ImmutableList<DeviceToleration>> read(ClaimRef ref, ClaimUid claim) {
    Optional<ImmutableList<DeviceToleration>> now = cluster.tolerations(ref, claim);
    known.put(claim, now);
    return now;
  }
}
