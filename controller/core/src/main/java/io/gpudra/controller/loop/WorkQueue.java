package io.gpudra.controller.loop;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keys to reconcile, each at most once at a time. Keys that release devices come before keys that
 * wait for them. A key added while it is running is handed out again afterwards. The earliest of
 * several delayed additions counts, unless an immediate one replaces them. No key is dropped.
 *
 * <p>Namespaces take turns, and none has more than three quarters of the workers: regardless of the
 * number and duration of one namespace's keys, the next namespace gets a worker.
 */
public final class WorkQueue {
  /** This number of superseded entries is not worth a clean-up. */
  private static final int SUPERSEDED = 64;

  /**
   * After this number of first keys, one other key has its turn, so that the others never starve.
   */
  private static final int FIRST_IN_A_ROW = 15;

  /**
   * The workers that a namespace may have for each idle one; a long, so that no product overflows.
   */
  private static final long FOR_EACH_IDLE = 3;

  private record Due(ObjectKey key, long at, long sequence, boolean first) {}

  /** Guards all fields below. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();

  /** Keys that are not running; each is in one of the two. */
  private final FairQueue readyFirst = new FairQueue();

  private final FairQueue ready = new FairQueue();

  /** The wanted keys, and whether each comes first. */
  private final Map<ObjectKey, Boolean> wanted = new HashMap<>();

  private final Map<ObjectKey, Long> runningSince = new HashMap<>();
  private final Map<String, Integer> runningOf = new HashMap<>();
  private final Map<ObjectKey, Due> nextDue = new HashMap<>();
  private final LongSupplier nanoTime;
  private final PriorityQueue<Due> later;
  private long sequence;
  private int firstInARow;
  private int workers = Integer.MAX_VALUE;
  private boolean stopped;

  /** The only worker that wakes after the next delay; otherwise one key would wake all workers. */
  private @Nullable Thread onWatch;

  /**
   * An empty queue.
   *
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   */
  public WorkQueue(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    long origin = nanoTime.getAsLong();
    // Readings are compared by difference: a monotonic clock may start anywhere and wrap.
    this.later =
        new PriorityQueue<>(
            Comparator.<Due>comparingLong(due -> due.at() - origin)
                .thenComparingLong(Due::sequence));
  }

  /** Adds the key to be reconciled now. */
  public void add(ObjectKey key) {
    add(key, /* first= */ false);
  }

  /** Adds the key to be reconciled now, before keys of {@link #add}. */
  public void addFirst(ObjectKey key) {
    add(key, /* first= */ true);
  }

  private void add(ObjectKey key, boolean first) {
    lock.lock();
    try {
      nextDue.remove(key);
      push(key, first);
    } finally {
      lock.unlock();
    }
  }

  /** Adds the key to be reconciled after the delay, or earlier when another event adds it. */
  public void addAfter(ObjectKey key, Duration delay) {
    addAfter(key, delay, /* first= */ false);
  }

  /** Adds an unfinished key to be retried after the delay, before keys that wait. */
  void retryAfter(ObjectKey key, Duration delay) {
    addAfter(key, delay, /* first= */ true);
  }

  private void addAfter(ObjectKey key, Duration delay, boolean first) {
    if (delay.isNegative() || delay.isZero()) {
      add(key, first);
      return;
    }
    lock.lock();
    try {
      long at = nanoTime.getAsLong() + delay.toNanos();
      Due known = nextDue.get(key);
      if (wanted.containsKey(key) || (known != null && known.at() - at <= 0)) {
        return;
      }
      Due due = new Due(key, at, sequence++, first);
      nextDue.put(key, due);
      later.add(due);
      dropSuperseded();
      if (due.equals(later.peek())) {
        onWatch = null;
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Sets the number of workers; unlimited by default. */
  void workers(int most) {
    lock.lock();
    try {
      workers = most;
    } finally {
      lock.unlock();
    }
  }

  /** The number of keys that are ready. */
  public int depth() {
    lock.lock();
    try {
      promoteDue();
      return readyFirst.size() + ready.size();
    } finally {
      lock.unlock();
    }
  }

  /** The number of delayed keys, including superseded entries. */
  int delayed() {
    lock.lock();
    try {
      return later.size();
    } finally {
      lock.unlock();
    }
  }

  /** The number of running keys. */
  int running() {
    lock.lock();
    try {
      return runningSince.size();
    } finally {
      lock.unlock();
    }
  }

  /** The key that has been running for longest, if any. */
  Optional<KeyInProgress> oldestRunning() {
    lock.lock();
    try {
      long now = nanoTime.getAsLong();
      return runningSince.entrySet().stream()
          .map(entry -> new KeyInProgress(entry.getKey(), Duration.ofNanos(now - entry.getValue())))
          .max(Comparator.comparing(KeyInProgress::time));
    } finally {
      lock.unlock();
    }
  }

  /** The next key, if one is ready; {@link #finished} must follow. */
  Optional<ObjectKey> poll() {
    lock.lock();
    try {
      promoteDue();
      return next();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a key; empty when the queue was stopped. {@link #finished} must follow. */
  Optional<ObjectKey> take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!stopped) {
        promoteDue();
        Optional<ObjectKey> next = next();
        if (next.isPresent()) {
          return next;
        }
        Due first = later.peek();
        if (first == null || onWatch != null) {
          changed.await();
          continue;
        }
        onWatch = Thread.currentThread();
        try {
          long unusedRest = changed.awaitNanos(first.at() - nanoTime.getAsLong());
        } finally {
          endWatch();
        }
      }
      return Optional.empty();
    } finally {
      if (onWatch == null && !later.isEmpty()) {
        changed.signal();
      }
      lock.unlock();
    }
  }

  private void endWatch() {
    if (Thread.currentThread().equals(onWatch)) {
      onWatch = null;
    }
  }

  /** Takes exactly this key, unless it is running; {@link #finished} must follow. */
  boolean takeNow(ObjectKey key) {
    lock.lock();
    try {
      if (runningSince.containsKey(key)) {
        return false;
      }
      nextDue.remove(key);
      wanted.remove(key);
      readyFirst.remove(key);
      ready.remove(key);
      begin(key);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The work on a key has ended, with any result. */
  void finished(ObjectKey key) {
    lock.lock();
    try {
      runningSince.remove(key);
      runningOf.computeIfPresent(key.namespace(), (unused, keys) -> keys == 1 ? null : keys - 1);
      Boolean first = wanted.get(key);
      if (first != null) {
        makeReady(key, first);
      }
      if (anyReady()) {
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends all waits; the keys stay. */
  void stop() {
    lock.lock();
    try {
      stopped = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void push(ObjectKey key, boolean first) {
    boolean comesFirst = wanted.merge(key, first, Boolean::logicalOr);
    if (!runningSince.containsKey(key)) {
      makeReady(key, comesFirst);
    }
  }

  private void makeReady(ObjectKey key, boolean first) {
    if (first) {
      ready.remove(key);
    }
    if ((first ? readyFirst : ready).add(key)) {
      changed.signal();
    }
  }

  private boolean anyReady() {
    return readyFirst.size() + ready.size() > 0;
  }

  private Optional<ObjectKey> pollReady() {
    boolean othersTurn = firstInARow >= FIRST_IN_A_ROW;
    Optional<ObjectKey> next = othersTurn ? pollOthers() : pollFirst();
    return next.isPresent() ? next : othersTurn ? pollFirst() : pollOthers();
  }

  private Optional<ObjectKey> pollFirst() {
    Optional<ObjectKey> key = readyFirst.poll(this::mayHaveAnother);
    firstInARow += key.isPresent() ? 1 : 0;
    return key;
  }

  private Optional<ObjectKey> pollOthers() {
    Optional<ObjectKey> key = ready.poll(this::mayHaveAnother);
    firstInARow = key.isPresent() ? 0 : firstInARow;
    return key;
  }

  private boolean mayHaveAnother(String namespace) {
    int own = runningOf.getOrDefault(namespace, 0);
    return own == 0 || own < FOR_EACH_IDLE * (workers - runningSince.size());
  }

  /** Runs rarely, so it costs little: a key that is often added early leaves many entries. */
  private void dropSuperseded() {
    if (later.size() > 2 * nextDue.size() + SUPERSEDED) {
      later.removeIf(due -> !due.equals(nextDue.get(due.key())));
    }
  }

  private Optional<ObjectKey> next() {
    Optional<ObjectKey> next = pollReady();
    next.ifPresent(
        key -> {
          wanted.remove(key);
          begin(key);
          if (anyReady()) {
            changed.signal();
          }
        });
    return next;
  }

  private void begin(ObjectKey key) {
    runningSince.put(key, nanoTime.getAsLong());
    runningOf.merge(key.namespace(), 1, Integer::sum);
  }

  private void promoteDue() {
    long now = nanoTime.getAsLong();
    for (Due due = later.peek(); due != null && due.at() - now <= 0; due = later.peek()) {
      later.remove();
      // Only the newest entry of a key counts; superseded ones are skipped.
      if (nextDue.remove(due.key(), due)) {
        push(due.key(), due.first());
      }
    }
  }
}
