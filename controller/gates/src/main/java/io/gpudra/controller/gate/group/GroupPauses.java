package io.gpudra.controller.gate.group;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.Comparators;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.ReconcileResult;
import io.gpudra.controller.loop.ReconcileResult.Kind;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The times before which a group is not looked at, read and searched again, and its contexts are
 * not requeued again: any event of a claim or pod requeues a group. Usable from any thread.
 */
final class GroupPauses {
  /** A group of so many pods is looked at again at once, one of so many entries read again. */
  private static final int FEW = 64;

  private static final int MAX_REQUEUED = 1_000;

  private final LongSupplier nanoTime;
  private final Map<ObjectKey, Long> next = new ConcurrentHashMap<>();

  /** By group of many pods, the time of the next look at them. */
  private final Map<ObjectKey, Long> crowded = new ConcurrentHashMap<>();

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

  /** The time until the pods of the group may be looked at again. */
  Duration ofCrowd(ObjectKey unit) {
    return left(crowded, unit);
  }

  /** So many pods of the group were looked at. A pass that goes on takes no pause. */
  void looked(ObjectKey unit, int pods, ReconcileResult result) {
    boolean waits = result.kind() == Kind.DONE || result.kind() == Kind.AFTER;
    if (pods > FEW && waits) {
      Duration own = result.kind() == Kind.DONE ? ControllerDelays.REGROUP : result.delay();
      pause(crowded, unit, Comparators.min(own, ControllerDelays.REGROUP));
    } else {
      crowded.remove(unit);
    }
  }

  /** The time until the group may be read again. */
  Duration left(ObjectKey unit) {
    return left(next, unit);
  }

  private Duration left(Map<ObjectKey, Long> times, ObjectKey unit) {
    long now = nanoTime.getAsLong();
    return Duration.ofNanos(Math.max(0, times.getOrDefault(unit, now) - now));
  }

  /** The group was searched, or is too large to be read. */
  void searched(ObjectKey unit) {
    pause(next, unit, ControllerDelays.REGROUP);
  }

  /** So many entries of the group were read, and it cannot start. */
  void read(ObjectKey unit, int entries) {
    if (entries > FEW) {
      pause(next, unit, ControllerDelays.GROUP_ENTRY.multipliedBy(entries));
    }
  }

  private void pause(Map<ObjectKey, Long> times, ObjectKey unit, Duration time) {
    times.put(unit, nanoTime.getAsLong() + time.toNanos());
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
    return next.size() + crowded.size();
  }
}
