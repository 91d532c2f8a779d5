package io.gpudra.controller.loop;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Keys in the order of arrival, one of each namespace in turn: a key behind ten thousand keys of
 * another namespace waits for one of them.
 */
final class FairQueue {
  /** In the order of turns; no set is empty. */
  private final Map<String, Set<ObjectKey>> byNamespace = new LinkedHashMap<>();

  private int size;

  int size() {
    return size;
  }

  /** Adds a key; returns whether it is new. */
  boolean add(ObjectKey key) {
    boolean added =
        byNamespace.computeIfAbsent(key.namespace(), unused -> new LinkedHashSet<>()).add(key);
    size += added ? 1 : 0;
    return added;
  }

  void remove(ObjectKey key) {
    Set<ObjectKey> keys = byNamespace.get(key.namespace());
    if (keys != null && keys.remove(key)) {
      size--;
      if (keys.isEmpty()) {
        byNamespace.remove(key.namespace());
      }
    }
  }

  /** Takes the next key of a namespace that may have a turn. */
  Optional<ObjectKey> poll(Predicate<String> mayHaveATurn) {
    Optional<String> next = byNamespace.keySet().stream().filter(mayHaveATurn).findFirst();
    return next.map(this::take);
  }

  private ObjectKey take(String namespace) {
    Set<ObjectKey> keys = byNamespace.remove(namespace);
    Iterator<ObjectKey> oldestFirst = keys.iterator();
    ObjectKey key = oldestFirst.next();
    oldestFirst.remove();
    size--;
    if (!keys.isEmpty()) {
      byNamespace.put(namespace, keys);
    }
    return key;
  }
}
