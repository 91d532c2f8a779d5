package io.gpudra.simulator.actor;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Keys with the time they are due. A key waits at most once, at its earliest time, and is handed
 * out to one taker at a time; what is due at the same time keeps the order of arrival.
 */
final class WorkQueue<K> {
  private record Entry<K>(K key, Instant at, long order) {}

  private final TreeSet<Entry<K>> ready =
      new TreeSet<>(Comparator.comparing((Entry<K> e) -> e.at()).thenComparing(Entry::order));
  private final Map<K, Entry<K>> waiting = new HashMap<>();
  private final Set<K> active = new HashSet<>();
  private long order;
  private long changes;

  synchronized void add(K key, Instant at) {
    Entry<K> known = waiting.get(key);
    if (known != null && !at.isBefore(known.at())) {
      return;
    }
    if (known != null) {
      ready.remove(known);
    }
    Entry<K> entry = new Entry<>(key, at, order++);
    waiting.put(key, entry);
    if (!active.contains(key)) {
      ready.add(entry);
    }
    changes++;
    notifyAll();
  }

  synchronized Optional<K> poll(Instant now) {
    if (ready.isEmpty() || ready.first().at().isAfter(now)) {
      return Optional.empty();
    }
    K key = ready.first().key();
    ready.remove(waiting.remove(key));
    active.add(key);
    return Optional.of(key);
  }

  synchronized void done(K key) {
    active.remove(key);
    Entry<K> again = waiting.get(key);
    if (again != null) {
      ready.add(again);
    }
    changes++;
    notifyAll();
  }

  synchronized Optional<Instant> nextDue() {
    return ready.isEmpty() ? Optional.empty() : Optional.of(ready.first().at());
  }

  /** Until a key is due or the queue has changed, at most so long. */
  synchronized void awaitDue(Instant now, Duration atMost) throws InterruptedException {
    Duration wait = atMost;
    if (!ready.isEmpty()) {
      Duration untilDue = Duration.between(now, ready.first().at()).plusMillis(1);
      wait = untilDue.compareTo(atMost) < 0 ? untilDue : atMost;
    }
    long end = System.nanoTime() + wait.toNanos();
    long seen = changes;
    for (long left = wait.toMillis(); seen == changes && left > 0; left = millisUntil(end)) {
      wait(left);
    }
  }

  private static long millisUntil(long nanoTime) {
    return (nanoTime - System.nanoTime()) / 1_000_000;
  }
}
