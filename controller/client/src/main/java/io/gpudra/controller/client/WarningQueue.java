package io.gpudra.controller.client;

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

/**
 * Warnings that wait to be sent, in a lane for each reason and namespace; the lanes take turns, and
 * when there is no more room the longest one loses its oldest. So a flood of one kind, or from one
 * namespace, hides no other. The same warning again takes the place of the one that waits.
 */
final class WarningQueue {
  private final int most;
  private final long mostBytes;
  private final Duration longest;

  /** The next one first. */
  private final Map<Lane, Map<Sameness, Waiting>> lanes = new LinkedHashMap<>();

  private int size;
  private long bytes;

  private record Lane(String reason, String namespace) {}

  /** What makes two warnings the same, whatever numbers are in their messages. */
  record Sameness(Subject subject, String reason, Set<String> causes) {
    static Sameness of(Warning warning) {
      return new Sameness(warning.subject(), warning.reason(), Set.copyOf(warning.causes()));
    }

    /** What it takes in memory, as it is estimated: the causes are as long as a tenant likes. */
    int bytes() {
      int ofCauses =
          causes.stream().mapToInt(one -> MemoryBudget.ENTRY + MemoryBudget.text(one)).sum();
      return MemoryBudget.ENTRY + subject.bytes() + ofCauses;
    }
  }

  private record Waiting(Warning warning, Instant since, int bytes) {}

  /**
   * An empty one.
   *
   * @param most how many may wait
   * @param mostBytes that they may take together
   * @param longest for how long one may wait; what is still true then is noticed again
   */
  WarningQueue(int most, long mostBytes, Duration longest) {
    this.most = most;
    this.mostBytes = mostBytes;
    this.longest = longest;
  }

  /**
   * Adds one at the end of its lane.
   *
   * @return whether none was lost for it
   */
  synchronized boolean add(Warning warning, Instant now) {
    Lane lane = new Lane(warning.reason(), warning.subject().namespace());
    Map<Sameness, Waiting> waiting = lanes.computeIfAbsent(lane, unused -> new LinkedHashMap<>());
    Sameness same = Sameness.of(warning);
    if (waiting.put(same, new Waiting(warning, now, same.bytes())) == null) {
      size++;
      bytes += same.bytes();
    }
    boolean room = true;
    while (size > most || bytes > mostBytes) {
      Waiting unused = oldest(longestLane());
      room = false;
    }
    return room;
  }

  private Lane longestLane() {
    return lanes.entrySet().stream()
        .max(Comparator.comparingLong(lane -> bytes(lane.getValue())))
        .orElseThrow()
        .getKey();
  }

  private static long bytes(Map<Sameness, Waiting> waiting) {
    return waiting.values().stream().mapToLong(Waiting::bytes).sum();
  }

  /** Takes the oldest of the lane whose turn it is. */
  synchronized Optional<Warning> poll(Instant now) {
    while (size > 0) {
      Lane lane = lanes.keySet().iterator().next();
      Waiting next = oldest(lane);
      Map<Sameness, Waiting> rest = lanes.remove(lane);
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

  private Waiting oldest(Lane lane) {
    Map<Sameness, Waiting> waiting = lanes.getOrDefault(lane, Map.of());
    Iterator<Waiting> oldest = waiting.values().iterator();
    Waiting taken = oldest.next();
    oldest.remove();
    size--;
    bytes -= taken.bytes();
    if (waiting.isEmpty()) {
      lanes.remove(lane);
    }
    return taken;
  }
}
