package io.gpudra.controller.gate.group;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The times before which a group is not read and searched again, and its contexts are not requeued
 * again: any event of a claim or pod requeues a group. Usable from any thread.
 */
final class GroupPauses {
  /** The entries of a group that is read again at once. */
  private static final int FEW = 64;

  private static final int MAX_REQUEUED = 1_000;

  private final LongSupplier nanoTime;
  private final Map<ObjectKey, Long> next = new ConcurrentHashMap<>();

  /** By group of which the contexts were requeued a moment before. */
  private final Cache<ObjectKey, Long> requeued;

  GroupPauses(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.requeued =
        CacheBuilder.newBuilder()
            .ticker(
                new Ticker() {
                  @Override
                  public long read() {
                    return nanoTime.getAsLong();
                  }
                })
            .expireAfterWrite(ControllerDelays.GROUP_LOOK)
            .maximumSize(MAX_REQUEUED)
            .build();
  }

  /** The time until the group may be read again. */
  Duration left(ObjectKey unit) {
    long now = nanoTime.getAsLong();
    return Duration.ofNanos(Math.max(0, next.getOrDefault(unit, now) - now));
  }

  /** The group was searched, or is too large to be read. */
  void searched(ObjectKey unit) {
    pause(unit, ControllerDelays.REGROUP);
  }

  /** So many entries of the group were read, and it cannot start. */
  void read(ObjectKey unit, int entries) {
    if (entries > FEW) {
      pause(unit, ControllerDelays.GROUP_ENTRY.multipliedBy(entries));
    }
  }

  private void pause(ObjectKey unit, Duration time) {
    next.put(unit, nanoTime.getAsLong() + time.toNanos());
  }

  /** The time until the contexts of the group may be requeued; zero if that is done now. */
  Duration requeue(ObjectKey unit) {
    long now = nanoTime.getAsLong();
    Long last = requeued.asMap().putIfAbsent(unit, now);
    return last == null ? Duration.ZERO : ControllerDelays.GROUP_LOOK.minusNanos(now - last);
  }

  /** The group waits no more. */
  void forget(ObjectKey unit) {
    next.remove(unit);
  }

  int size() {
    return next.size();
  }
}
