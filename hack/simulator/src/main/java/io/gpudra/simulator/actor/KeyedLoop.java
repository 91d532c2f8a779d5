package io.gpudra.simulator.actor;

import io.gpudra.simulator.api.ApiError;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Level-triggered work queue. A key is queued at most once, at its earliest time, and is never
 * processed concurrently. Calls that the API server rejects are retried with exponential back-off.
 */
public final class KeyedLoop<K> {
  private static final Logger LOG = LoggerFactory.getLogger(KeyedLoop.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(5);
  private static final int MAX_DOUBLINGS = 12;

  /** A key and its due time; keys with equal times keep their order of arrival. */
  private record Entry<K>(K key, Instant at, long order) {}

  // All guarded by this.
  private final TreeSet<Entry<K>> ready =
      new TreeSet<>(Comparator.comparing((Entry<K> e) -> e.at()).thenComparing(Entry::order));
  private final Map<K, Entry<K>> waiting = new HashMap<>();
  private final Set<K> active = new HashSet<>();
  private final Map<K, Integer> failures = new HashMap<>();
  private long order;

  private final Semaphore changed = new Semaphore(0);
  private final InstantSource clock;
  private final Executor executor;
  private final Consumer<K> work;

  /**
   * Starts empty.
   *
   * @param executor runs the work of a step; {@code Runnable::run} keeps it on the stepping thread
   */
  public KeyedLoop(InstantSource clock, Executor executor, Consumer<K> work) {
    this.clock = clock;
    this.executor = executor;
    this.work = work;
  }

  public void add(K key) {
    add(key, clock.instant());
  }

  public synchronized void add(K key, Instant at) {
    Entry<K> known = waiting.get(key);
    if (known != null && !at.isBefore(known.at())) {
      return;
    }
    if (known != null) {
      ready.remove(known);
    }
    waiting.put(key, new Entry<>(key, at, order++));
    makeReady(key);
  }

  private void makeReady(K key) {
    if (waiting.containsKey(key) && !active.contains(key)) {
      ready.add(waiting.get(key));
      changed.release();
    }
  }

  boolean step() {
    Optional<K> key = poll();
    key.ifPresent(taken -> executor.execute(() -> process(taken)));
    return key.isPresent();
  }

  private synchronized Optional<K> poll() {
    if (ready.isEmpty() || ready.first().at().isAfter(clock.instant())) {
      return Optional.empty();
    }
    K key = ready.first().key();
    ready.remove(waiting.remove(key));
    active.add(key);
    return Optional.of(key);
  }

  private void process(K key) {
    try {
      work.accept(key);
      done(key, 0);
    } catch (ApiError e) {
      LOG.debug("refused key={} code={} message={}", key, e.code(), e.getMessage());
      done(key, 1);
    } catch (RuntimeException e) {
      LOG.error("work failed key={}", key, e);
      done(key, 0);
    }
  }

  private synchronized void done(K key, int failed) {
    active.remove(key);
    if (failed > 0) {
      int doublings = Math.min(failures.merge(key, failed, Integer::sum) - 1, MAX_DOUBLINGS);
      add(key, clock.instant().plus(FIRST_RETRY.multipliedBy(1L << doublings)));
    } else {
      failures.remove(key);
    }
    makeReady(key);
  }

  synchronized Optional<Instant> nextDue() {
    return ready.isEmpty() ? Optional.empty() : Optional.of(ready.first().at());
  }

  void awaitWork(Duration atMost) throws InterruptedException {
    Instant now = clock.instant();
    long untilDue = Duration.between(now, nextDue().orElse(now.plus(atMost))).toMillis() + 1;
    if (changed.tryAcquire(Math.min(untilDue, atMost.toMillis()), TimeUnit.MILLISECONDS)) {
      changed.drainPermits();
    }
  }
}
