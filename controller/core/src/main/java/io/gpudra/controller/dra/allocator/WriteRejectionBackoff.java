package io.gpudra.controller.dra.allocator;

import static java.util.Comparator.naturalOrder;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.model.ClaimUid;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Backs off from claims whose allocation the API server rejected: longer each time, unless the
 * request changed meanwhile. The writes and holds of such an attempt cause events, which would
 * otherwise trigger retries at once, forever.
 */
public final class WriteRejectionBackoff {
  /**
   * After this time the entry is dropped; a claim that is still wanted has been retried by then.
   */
  private static final Duration EXPIRY = ControllerDelays.REJECTED_WRITE.longest().multipliedBy(2);

  /**
   * The facts that may decide whether the server rejects a write.
   *
   * @param request a hash of class and parameters, which are as large as a tenant likes; a changed
   *     request with the same hash waits for the rest of the back-off
   */
  private record WriteKey(String resourceVersion, int request) {
    static WriteKey of(ClaimFacts claim, PendingClaim<?> pending) {
      return new WriteKey(
          claim.resourceVersion(), Objects.hash(pending.resourceClass(), pending.parameters()));
    }
  }

  private record Rejection(WriteKey writeKey, int times, long at) {
    Rejection after(Rejection before) {
      return new Rejection(writeKey, before.times + 1, at);
    }
  }

  private final Cache<ClaimUid, Rejection> known;
  private final LongSupplier nanoTime;

  /**
   * An empty set of rejections.
   *
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  public WriteRejectionBackoff(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.known =
        MemoryBudget.REJECTIONS
            .<ClaimUid, Rejection>cache(
                MemoryBudget.ALL, (claim, rejection) -> 2 * MemoryBudget.ENTRY)
            .expireAfterWrite(EXPIRY)
            .ticker(ticker(nanoTime))
            .build();
  }

  /**
   * Records rejected claims.
   *
   * @param now the last states of these claims
   */
  <P> void add(ImmutableList<PendingClaim<P>> pending, ImmutableList<ClaimFacts> now) {
    for (ClaimFacts claim : now) {
      pending.stream()
          .filter(one -> one.claim().uid().equals(claim.uid()))
          .forEach(one -> add(claim.uid(), WriteKey.of(claim, one)));
    }
  }

  private void add(ClaimUid claim, WriteKey writeKey) {
    Rejection first = new Rejection(writeKey, 1, nanoTime.getAsLong());
    known.asMap().merge(claim, first, (before, again) -> again.after(before));
  }

  /** The delay for these claims from now; zero when they may be tried. */
  <P> Duration pause(ImmutableList<PendingClaim<P>> pending) {
    return pending.stream().map(this::pause).max(naturalOrder()).orElse(Duration.ZERO);
  }

  private Duration pause(PendingClaim<?> pending) {
    return Optional.ofNullable(known.getIfPresent(pending.claim().uid()))
        .filter(last -> last.writeKey().equals(WriteKey.of(pending.claim(), pending)))
        .map(this::rest)
        .filter(rest -> !rest.isNegative())
        .orElse(Duration.ZERO);
  }

  private Duration rest(Rejection last) {
    Duration pause = ControllerDelays.REJECTED_WRITE.after(last.times());
    return pause.minusNanos(nanoTime.getAsLong() - last.at());
  }

  /** The number of remembered claims. */
  public int size() {
    known.cleanUp();
    return Math.toIntExact(known.size());
  }

  private static Ticker ticker(LongSupplier nanoTime) {
    return new Ticker() {
      @Override
      public long read() {
        return nanoTime.getAsLong();
      }
    };
  }
}
