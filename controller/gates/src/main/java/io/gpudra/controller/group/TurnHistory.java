package io.gpudra.controller.group;

import static java.util.Objects.requireNonNullElse;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.util.Optional;

/** The turns that groups and their namespaces had. Confined to the lock of {@link GroupTurns}. */
final class TurnHistory {
  /** Turns are seconds apart: this many last for an hour at least. */
  private static final int REMEMBERED = 1_000;

  /** The last turn of each namespace. */
  private final Cache<String, Long> turns = remembering();

  /** When the groups of a namespace may have their next turn. */
  private final Cache<String, Long> rests = remembering();

  /** The time for which nodes were kept for a group, by the UID of its last member. */
  private final Cache<String, Long> used = remembering();

  private long turn;

  private static <V> Cache<String, V> remembering() {
    return CacheBuilder.newBuilder().maximumSize(REMEMBERED).build();
  }

  /** The number of the turn that the namespace has now. */
  long begin(String namespace) {
    turn++;
    turns.put(namespace, turn);
    return turn;
  }

  /** The number of its last turn; 0 if there was none. */
  long last(String namespace) {
    return requireNonNullElse(turns.getIfPresent(namespace), 0L);
  }

  /** The namespace leaves the turns before this time to others. */
  void rest(String namespace, long until) {
    rests.put(namespace, until);
  }

  Optional<Long> restsUntil(String namespace) {
    return Optional.ofNullable(rests.getIfPresent(namespace));
  }

  /** Nodes were kept for so many nanoseconds more. */
  void use(String group, long nanos) {
    used.asMap().merge(group, nanos, Long::sum);
  }

  /** The group has all of its time again. */
  void renew(String group) {
    used.invalidate(group);
  }

  /** The nanoseconds for which nodes were kept. */
  long used(String group) {
    return requireNonNullElse(used.getIfPresent(group), 0L);
  }
}
