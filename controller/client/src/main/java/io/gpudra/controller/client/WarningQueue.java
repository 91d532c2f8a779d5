package io.gpudra.controller.client;

import static java.util.Objects.requireNonNull;

import io.gpudra.controller.client.EventSink.Subject;
import io.gpudra.controller.client.EventSink.Warning;
import io.gpudra.controller.memory.MemoryBudget;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Warnings that wait to be sent, in a lane for each reason and origin: a namespace, a node, or a
 * cluster-scoped object. The lanes take turns. A full queue drops the oldest warning of the longest
 * lane, so a flood of one reason or of one origin cannot hide others. A warning replaces an equal
 * one.
 */
final class WarningQueue {
  private final int most;
  private final long mostBytes;
  private final Duration longest;

  /** The lane whose turn is next comes first. */
  private final Map<LaneKey, Backlog> lanes = new LinkedHashMap<>();

  private int size;
  private long bytes;

  private record LaneKey(String reason, String origin) {}

  /** The identity of a warning, regardless of the numbers in its message. */
  record WarningKey(Subject subject, String reason, Set<String> causes) {
    static WarningKey of(Warning warning) {
      return new WarningKey(warning.subject(), warning.reason(), Set.copyOf(warning.causes()));
    }

    /** Its estimated size in memory: a tenant can make the causes long. */
    int bytes() {
      int ofCauses =
          causes.stream().mapToInt(one -> MemoryBudget.ENTRY + MemoryBudget.text(one)).sum();
      return MemoryBudget.ENTRY + subject.bytes() + ofCauses;
    }
  }

  private record QueuedWarning(Warning warning, Instant since, long bytes) {}

  /** The warnings of a lane, oldest first, and their bytes. */
  private static final class Backlog {
    private final Map<WarningKey, QueuedWarning> waiting = new LinkedHashMap<>();
    private long bytes;
  }

  /**
   * An empty queue.
   *
   * @param most the maximum number of waiting warnings
   * @param mostBytes the maximum of their bytes together
   * @param longest the maximum time that a warning may wait; a condition that still holds then is
   *     noticed again
   */
  WarningQueue(int most, long mostBytes, Duration longest) {
    this.most = most;
    this.mostBytes = mostBytes;
    this.longest = longest;
  }

  /**
   * Adds a warning at the end of its lane.
   *
   * @param origin of the warning
   * @return whether no warning was dropped for it
   */
  synchronized boolean add(String origin, Warning warning, Instant now) {
    LaneKey lane = new LaneKey(warning.reason(), origin);
    Backlog backlog = lanes.computeIfAbsent(lane, unused -> new Backlog());
    WarningKey same = WarningKey.of(warning);
    QueuedWarning next = new QueuedWarning(warning, now, same.bytes() + warning.bytes());
    QueuedWarning before = backlog.waiting.put(same, next);
    long more = next.bytes() - (before == null ? 0 : before.bytes());
    size += before == null ? 1 : 0;
    bytes += more;
    backlog.bytes += more;
    boolean room = true;
    while (size > most || bytes > mostBytes) {
      QueuedWarning unused = oldest(longestLane());
      room = false;
    }
    return room;
  }

  /** By what there is too much of. */
  private LaneKey longestLane() {
    ToLongFunction<Backlog> length = size > most ? lane -> lane.waiting.size() : lane -> lane.bytes;
    return lanes.entrySet().stream()
        .max(Comparator.comparingLong(lane -> length.applyAsLong(lane.getValue())))
        .orElseThrow()
        .getKey();
  }

  /** Removes the oldest warning of the next lane. */
  synchronized Optional<Warning> poll(Instant now) {
    while (size > 0) {
      LaneKey lane = lanes.keySet().iterator().next();
      QueuedWarning next = oldest(lane);
      Backlog rest = lanes.remove(lane);
      if (rest != null) {
        lanes.put(lane, rest);
      }
      if (Duration.between(next.since(), now).compareTo(longest) <= 0) {
        return Optional.of(next.warning());
      }
    }
    return Optional.empty();
  }

  synchronized int size() {
    return size;
  }

  private QueuedWarning oldest(LaneKey lane) {
    Backlog backlog = requireNonNull(lanes.get(lane));
    Iterator<QueuedWarning> oldest = backlog.waiting.values().iterator();
    QueuedWarning taken = oldest.next();
    oldest.remove();
    size--;
    bytes -= taken.bytes();
    backlog.bytes -= taken.bytes();
    if (backlog.waiting.isEmpty()) {
      lanes.remove(lane);
    }
    return taken;
  }
}
