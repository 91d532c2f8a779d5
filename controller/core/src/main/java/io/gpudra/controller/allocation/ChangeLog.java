package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableSet;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * When each node changed last, so that who has judged all nodes need judge only those that changed
 * since. Guarded by the lock of its store.
 */
final class ChangeLog {
  /** So many nodes that are gone are not worth a look. */
  private static final int GONE = 64;

  private final NavigableMap<Long, String> nodes = new TreeMap<>();
  private final Map<String, Long> times = new HashMap<>();
  private long now;
  private long forgotten;

  long now() {
    return now;
  }

  void changed(String node) {
    Long before = times.put(node, ++now);
    if (before != null) {
      nodes.remove(before);
    }
    nodes.put(now, node);
  }

  /** Nodes that changed after that time; empty when it is too long ago to tell. */
  Optional<ImmutableSet<String>> after(long time) {
    return time < forgotten
        ? Optional.empty()
        : Optional.of(ImmutableSet.copyOf(nodes.tailMap(time, false).values()));
  }

  /** Nodes come and go: those that are gone are forgotten once they are the most. */
  void keep(Set<String> known) {
    if (nodes.size() <= 2 * known.size() + GONE) {
      return;
    }
    nodes.values().retainAll(known);
    times.keySet().retainAll(known);
    forgotten = now;
  }
}
