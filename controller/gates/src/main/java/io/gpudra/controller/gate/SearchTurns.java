package io.gpudra.controller.gate;

import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One search of a namespace at a time: two would choose the same best node, and one may take
 * seconds. A few workers wait for their turn; others are turned away and called back, the first by
 * rank first, so that they need not poll.
 */
final class SearchTurns {
  /** The workers of a namespace that search or wait for it: the others serve other namespaces. */
  static final int MAX_WORKERS = 3;

  private final Consumer<WorkKey> requeue;

  /** Guarded by this; only namespaces of which a place is taken. */
  private final Map<String, Line> lines = new HashMap<>();

  /** Work is turned away only while all places are taken. */
  private static final class Line {
    private final ReentrantLock search = new ReentrantLock();
    private final TreeSet<Waiter> turnedAway = new TreeSet<>();

    /** Each keeps a place until its pass ends. */
    private final Set<WorkKey> called = new HashSet<>();

    private int workers;

    boolean isFull() {
      return workers + called.size() >= MAX_WORKERS;
    }

    boolean isEmpty() {
      return workers + called.size() == 0;
    }

    Optional<WorkKey> call() {
      Optional<WorkKey> next = Optional.ofNullable(turnedAway.pollFirst()).map(Waiter::work);
      next.ifPresent(called::add);
      return next;
    }
  }

  /**
   * No searches yet.
   *
   * @param requeue called without a lock
   */
  SearchTurns(Consumer<WorkKey> requeue) {
    this.requeue = requeue;
  }

  /**
   * Searches in the turn of this waiter. The search waits for no call.
   *
   * @return empty if the waiter was turned away; its work is requeued
   */
  <T> Optional<T> inTurn(Waiter waiter, Supplier<T> search) {
    return enter(waiter).map(line -> inTurn(line, waiter.work(), search));
  }

  private <T> T inTurn(Line line, WorkKey work, Supplier<T> search) {
    line.search.lock();
    try {
      return search.get();
    } finally {
      line.search.unlock();
      leave(line, work).ifPresent(requeue);
    }
  }

  /** Whether it is the turn of this work, which waited for it. */
  synchronized boolean isCalled(WorkKey work) {
    Line line = lines.get(namespace(work));
    return line != null && line.called.contains(work);
  }

  /** Whether the waiter waits for its turn or was called, so that no node has refused it. */
  synchronized boolean isWaiting(Waiter waiter) {
    Line line = lines.get(namespace(waiter.work()));
    return line != null
        && (line.turnedAway.contains(waiter) || line.called.contains(waiter.work()));
  }

  /**
   * A pass ended whose work was called before: unless it searched, the next is called in its place.
   */
  void passed(WorkKey work) {
    handOn(work).ifPresent(requeue);
  }

  /** The number of namespaces of which a place is taken. */
  synchronized int size() {
    return lines.size();
  }

  private static String namespace(WorkKey work) {
    return work.key().namespace();
  }

  private synchronized Optional<Line> enter(Waiter waiter) {
    Line line = lines.computeIfAbsent(namespace(waiter.work()), unused -> new Line());
    if (!line.called.remove(waiter.work()) && line.isFull()) {
      line.turnedAway.add(waiter);
      return Optional.empty();
    }
    line.turnedAway.remove(waiter);
    line.workers++;
    return Optional.of(line);
  }

  private synchronized Optional<WorkKey> leave(Line line, WorkKey work) {
    line.workers--;
    return next(line, work);
  }

  private synchronized Optional<WorkKey> handOn(WorkKey work) {
    Line line = lines.get(namespace(work));
    return line != null && line.called.remove(work) ? next(line, work) : Optional.empty();
  }

  private Optional<WorkKey> next(Line line, WorkKey last) {
    Optional<WorkKey> next = line.call();
    if (line.isEmpty()) {
      lines.remove(namespace(last));
    }
    return next;
  }
}
