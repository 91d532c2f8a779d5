package io.gpudra.controller.gate.group;

import com.google.common.collect.Multiset;
import com.google.common.collect.TreeMultiset;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * When the server is asked for the members of groups: seldom for each group, and for the groups of
 * a namespace one after the other. Usable from any thread.
 */
final class GroupLooks {
  /** Of the groups that wait for a look, so many try at each turn. */
  private static final int TRIES_OF_A_TURN = 2;

  /** The turn of all namespaces; no namespace has this name. */
  private static final String ALL = "";

  private final LongSupplier nanoTime;

  /** All fields are guarded by this. */
  private final Map<ObjectKey, Look> looks = new HashMap<>();

  /** The times of the next look, and of the next try, by namespace and of all. */
  private final Map<String, Long> turns = new HashMap<>();

  private final Map<String, Long> tries = new HashMap<>();
  private final Multiset<String> waiting = TreeMultiset.create();

  /** The namespaces of which a list is being read: one may be large, and slow. */
  private final Set<String> listing = new HashSet<>();

  /**
   * A group that waits for a look.
   *
   * @param at its earliest time
   * @param first whether there was none before
   */
  private record Look(long at, boolean first) {}

  GroupLooks(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * The time until the group may be looked for; zero if it may now, which is then its turn until
   * {@link #ended}. Members that are created one after the other are all there at the first look.
   */
  synchronized Duration left(ObjectKey unit) {
    long now = nanoTime.getAsLong();
    Look look = looks.computeIfAbsent(unit, key -> first(key, now));
    if (look.at() - now > 0) {
      return Duration.ofNanos(look.at() - now);
    }
    String namespace = unit.namespace();
    Duration gap = ControllerDelays.GROUP_LOOK_OF_NAMESPACE;
    int groups = waiting.count(namespace);
    Duration ofNamespace =
        listing.contains(namespace)
            ? Duration.ofNanos(nextTry(namespace, groups, gap.toNanos(), now) - now)
            : left(namespace, groups, gap, now);
    // A namespace that has no turn takes none of all.
    Duration left =
        ofNamespace.isZero()
            ? left(ALL, waiting.size(), ControllerDelays.GROUP_LOOK_GAP, now)
            : ofNamespace;
    if (left.isZero()) {
      looks.put(unit, new Look(now + ControllerDelays.GROUP_LOOK.toNanos(), /* first= */ false));
      turns.put(namespace, now + gap.toNanos());
      listing.add(namespace);
      turns.put(ALL, now + ControllerDelays.GROUP_LOOK_GAP.toNanos());
    }
    return left;
  }

  /** The list of the group's members is read, or failed. */
  synchronized void ended(ObjectKey unit) {
    listing.remove(unit.namespace());
  }

  /** The time until the next try; zero if it is the turn of one of those that wait. */
  private Duration left(String turn, int groups, Duration gap, long now) {
    long next = turns.getOrDefault(turn, now);
    return next - now > 0
        ? Duration.ofNanos(Math.max(next, nextTry(turn, groups, gap.toNanos(), now)) - now)
        : Duration.ZERO;
  }

  /** One after the other; the latest as if all that wait were before it. */
  private long nextTry(String turn, int groups, long gap, long now) {
    long next = Math.max(tries.getOrDefault(turn, now), now) + gap / TRIES_OF_A_TURN;
    long at = Math.min(next, now + gap * groups);
    tries.put(turn, at);
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
