package io.gpudra.controller.gate;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * When the server is asked for the members of groups: seldom for each group, and for the groups of
 * a namespace one after the other. Usable from any thread.
 */
final class GroupLooks {
  /** Of the groups that wait for a look, so many try at each turn of their namespace. */
  private static final int TRIES_OF_A_TURN = 2;

  private final LongSupplier nanoTime;

  /** All fields are guarded by this. */
  private final Map<ObjectKey, Look> looks = new HashMap<>();

  /** The times of the next look, and of the next try, by namespace. */
  private final Map<String, Long> turns = new HashMap<>();

  private final Map<String, Long> tries = new HashMap<>();
  private final Multiset<String> waiting = HashMultiset.create();
  private long nextOfAll;

  /**
   * A group that waits for a look.
   *
   * @param at its earliest time
   * @param first whether there was none before
   */
  private record Look(long at, boolean first) {}

  GroupLooks(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.nextOfAll = nanoTime.getAsLong();
  }

  /**
   * The time until the group may be looked for; zero if it may now, which is then its turn. Members
   * that are created one after the other are all there at the first look.
   */
  synchronized Duration left(ObjectKey unit) {
    long now = nanoTime.getAsLong();
    Look look = looks.computeIfAbsent(unit, key -> first(key, now));
    String namespace = unit.namespace();
    long gap = ControllerDelays.GROUP_LOOK_OF_NAMESPACE.toNanos();
    if (look.at() - now > 0) {
      return Duration.ofNanos(look.at() - now);
    }
    long turn = Math.max(turns.getOrDefault(namespace, now) - now, nextOfAll - now);
    if (turn > 0) {
      return Duration.ofNanos(Math.max(turn, nextTry(namespace, now, gap) - now));
    }
    looks.put(unit, new Look(now + ControllerDelays.GROUP_LOOK.toNanos(), /* first= */ false));
    turns.put(namespace, now + gap);
    nextOfAll = now + ControllerDelays.GROUP_LOOK_GAP.toNanos();
    return Duration.ZERO;
  }

  /** One after the other; the latest as if all that wait were before it. */
  private long nextTry(String namespace, long now, long gap) {
    long next = Math.max(tries.getOrDefault(namespace, now), now) + gap / TRIES_OF_A_TURN;
    long at = Math.min(next, now + gap * waiting.count(namespace));
    tries.put(namespace, at);
    return at;
  }

  private Look first(ObjectKey unit, long now) {
    waiting.add(unit.namespace());
    return new Look(now + ControllerDelays.REGROUP.toNanos(), /* first= */ true);
  }

  /** Whether the group was looked for before. */
  synchronized boolean isKnown(ObjectKey unit) {
    Look look = looks.get(unit);
    return look != null && !look.first();
  }

  /** The group needs no look. */
  synchronized void forget(ObjectKey unit) {
    if (looks.remove(unit) != null) {
      waiting.remove(unit.namespace());
      if (!waiting.contains(unit.namespace())) {
        turns.remove(unit.namespace());
        tries.remove(unit.namespace());
      }
    }
  }

  synchronized int size() {
    return looks.size();
  }
}
