package io.gpudra.controller.dra.queue;

import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.loop.ControllerDelays;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Work that limits of its namespace keep from devices, on any node. When limits ease, the first
 * waiter of the namespace has its turn: it is requeued, and its answer passes the turn to the next,
 * so that none overtakes another. A pod for which the scheduler has to choose another node keeps
 * its turn for that time. Guarded by the lock of its {@link WaitQueue}.
 */
final class LimitLine {
  /** The number of waiters that are refused again for one easing without a pause. */
  static final int TURNS = 32;

  /** Namespaces share these counts, which makes some evaluate once more than they must. */
  private static final int COUNTS = 1024;

  private static final long TURN_NANOS = ControllerDelays.LIMIT_TURN.toNanos();

  /**
   * A waiter's place in the line.
   *
   * @param limits their names
   * @param claims the number of claims that wait
   */
  private record Place(ImmutableSet<String> limits, int claims) {}

  /** The line of one namespace. */
  private final class Line {
    private final NavigableMap<Waiter, Place> places = new TreeMap<>();

    /** Waiters that had their turn since limits eased, and still wait. */
    private final Set<Waiter> served = new HashSet<>();

    /**
     * Waiters that did not answer their last turn in time. They hold up no other for the scheduler,
     * which may never choose a node for them.
     */
    private final Set<Waiter> late = new HashSet<>();

    /**
     * The end of a turn without an answer. No other waiter keeps its turn for the scheduler then,
     * until limits ease {@link ControllerDelays#LIMIT_TURN} later or after that.
     */
    private @Nullable Long heldUpUntil;

    private @Nullable Waiter onTurn;

    /** The waiter that comes if the one on turn does not answer in time. */
    private @Nullable Waiter after;

    private long since;

    private void eased() {
      served.clear();
      endIfLate();
      if (heldUpUntil != null && nanoTime.getAsLong() - heldUpUntil >= TURN_NANOS) {
        heldUpUntil = null;
      }
      next();
    }

    private void answered(Waiter waiter) {
      if (endIfLate() || waiter.equals(onTurn)) {
        next();
      } else if (onTurn != null && !served.contains(waiter) && !comesAfterNext(waiter)) {
        wakeAfterTurn();
      }
    }

    private boolean comesAfterNext(Waiter waiter) {
      return after != null && waiter.compareTo(after) > 0;
    }

    private void choosing(Waiter waiter) {
      if (!waiter.equals(onTurn) || !isInTime() || heldUpUntil != null || late.contains(waiter)) {
        answered(waiter);
      }
    }

    private boolean endIfLate() {
      Waiter waiter = onTurn;
      if (waiter == null || isInTime()) {
        return false;
      }
      late.add(waiter);
      heldUpUntil = since + TURN_NANOS;
      onTurn = null;
      return true;
    }

    /** Null when it was the last one. */
    private @Nullable Line without(Waiter waiter) {
      places.remove(waiter);
      served.remove(waiter);
      answered(waiter);
      late.remove(waiter);
      return places.isEmpty() ? null : this;
    }

    private void next() {
      Waiter first = firstUnserved();
      if (first == null) {
        onTurn = null;
      } else {
        begin(first);
      }
      wakeAfterTurn();
    }

    private void wakeAfterTurn() {
      after = firstUnserved();
      if (after != null) {
        wake.accept(after.work(), timeLeft());
      }
    }

    private @Nullable Waiter firstUnserved() {
      return places.keySet().stream()
          .filter(waiter -> !served.contains(waiter))
          .findFirst()
          .orElse(null);
    }

    /** Limits that ease again and again do not prolong a turn. */
    private void begin(Waiter waiter) {
      Duration delay = served.size() < TURNS ? Duration.ZERO : ControllerDelays.NAMESPACE_POLL_GAP;
      if (!waiter.equals(onTurn)) {
        since = nanoTime.getAsLong() + delay.toNanos();
      }
      onTurn = waiter;
      served.add(waiter);
      wake.accept(waiter.work(), delay);
    }

    private Duration timeLeft() {
      return Duration.ofNanos(since + TURN_NANOS - nanoTime.getAsLong());
    }

    private boolean isInTime() {
      return nanoTime.getAsLong() - since < TURN_NANOS;
    }

    private Optional<ImmutableSet<String>> before(Waiter waiter) {
      return Optional.ofNullable(onTurn)
          .filter(other -> isInTime() && other.compareTo(waiter) < 0)
          .filter(other -> !other.work().equals(waiter.work()))
          .flatMap(other -> Optional.ofNullable(places.get(other)))
          .map(Place::limits);
    }
  }

  private final LongSupplier nanoTime;
  private final BiConsumer<WorkKey, Duration> wake;
  private final Map<String, Line> lines = new HashMap<>();
  private final Map<WorkKey, Waiter> byWork = new HashMap<>();
  private final long[] easings = new long[COUNTS];

  LimitLine(LongSupplier nanoTime, BiConsumer<WorkKey, Duration> wake) {
    this.nanoTime = nanoTime;
    this.wake = wake;
  }

  /**
   * The number of times that limits of the waiter's namespace eased; changes of others may count.
   */
  long easings(Waiter waiter) {
    return easings[count(namespace(waiter))];
  }

  private static int count(String namespace) {
    return Math.floorMod(namespace.hashCode(), COUNTS);
  }

  /**
   * The waiter was evaluated, and waits for these limits.
   *
   * @param judgedAfter {@link #easings} before the evaluation; if there were more since, it keeps
   *     its turn and is evaluated again
   */
  void limited(Waiter waiter, ImmutableSet<String> limits, int claims, long judgedAfter) {
    if (!waiter.equals(byWork.get(waiter.work()))) {
      gone(waiter.work());
    }
    byWork.put(waiter.work(), waiter);
    Line line = lines.computeIfAbsent(namespace(waiter), unused -> new Line());
    line.places.put(waiter, new Place(limits, claims));
    if (judgedAfter == easings(waiter)) {
      line.answered(waiter);
    } else {
      wake.accept(waiter.work(), Duration.ZERO);
    }
    line.late.remove(waiter);
  }

  /**
   * The waiter was evaluated, and waits for the scheduler to choose another node. It keeps its
   * place and its turn. In a namespace in which others wait for limits it has a place from now on,
   * but its claims do not count: the limits may not concern them.
   */
  void choosing(Waiter waiter) {
    if (!waiter.equals(byWork.get(waiter.work()))) {
      gone(waiter.work());
    }
    Line line = lines.get(namespace(waiter));
    if (line != null) {
      byWork.put(waiter.work(), waiter);
      ImmutableSet<String> limits = line.places.values().iterator().next().limits();
      line.places.putIfAbsent(waiter, new Place(limits, 0));
      line.choosing(waiter);
    }
  }

  /** The work does not wait for limits any more. */
  void gone(WorkKey work) {
    Waiter waiter = byWork.remove(work);
    if (waiter != null) {
      lines.computeIfPresent(namespace(waiter), (unused, line) -> line.without(waiter));
    }
  }

  /** Claims of the namespace may have more than before. */
  void eased(String namespace) {
    easings[count(namespace)]++;
    Optional.ofNullable(lines.get(namespace)).ifPresent(Line::eased);
  }

  /** The limits of a waiter that comes first and is being evaluated; empty if there is none. */
  Optional<ImmutableSet<String>> before(Waiter waiter) {
    return Optional.ofNullable(lines.get(namespace(waiter))).flatMap(line -> line.before(waiter));
  }

  /** The waiter with the work, if it waits for limits. */
  Optional<Waiter> waiter(WorkKey work) {
    return Optional.ofNullable(byWork.get(work));
  }

  /** The number of waiters of the namespace. */
  int size(String namespace) {
    Line line = lines.get(namespace);
    return line == null ? 0 : line.places.size();
  }

  /** The number of claims of the namespace that wait for each limit. */
  ImmutableMultiset<String> waiting(String namespace) {
    ImmutableMultiset.Builder<String> claims = ImmutableMultiset.builder();
    Line line = lines.get(namespace);
    if (line != null) {
      for (Place place : line.places.values()) {
        place.limits().forEach(limit -> claims.addCopies(limit, place.claims()));
      }
    }
    return claims.build();
  }

  private static String namespace(Waiter waiter) {
    return waiter.work().key().namespace();
  }
}
