package io.gpudra.controller.gate;

import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.PodRef;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A deadline for each unit from the first look at its pod. Those that are reached keep a gap, in
 * which namespaces take turns.
 */
final class PacedDeadlines {
  private final Duration after;
  private final Duration gap;
  private final LongSupplier nanoTime;

  /** All fields are guarded by this. */
  private final Map<ObjectKey, Deadline> deadlines = new HashMap<>();

  /** The next moment of each namespace, as long as it is to come. */
  private final Map<String, Long> nexts = new HashMap<>();

  /**
   * A deadline.
   *
   * @param paced whether it was reached and then moved behind the one before it
   */
  private record Deadline(PodRef pod, long at, boolean paced) {}

  /**
   * No deadlines yet.
   *
   * @param after the first look
   * @param gap between two deadlines that are reached
   */
  PacedDeadlines(Duration after, Duration gap, LongSupplier nanoTime) {
    this.after = after;
    this.gap = gap;
    this.nanoTime = nanoTime;
  }

  /** The time left for the pod of the unit; zero once its deadline is reached. */
  synchronized Duration left(ObjectKey unit, PodRef pod) {
    long now = nanoTime.getAsLong();
    Deadline known = deadlines.get(unit);
    Deadline deadline =
        known != null && known.pod().equals(pod)
            ? known
            : new Deadline(pod, now + after.toNanos(), /* paced= */ false);
    Deadline due =
        deadline.at() - now > 0 || deadline.paced()
            ? deadline
            : paced(unit.namespace(), deadline, now);
    deadlines.put(unit, due);
    return Duration.ofNanos(Math.max(0, due.at() - now));
  }

  /** A namespace that joins the line starts behind the others' next ones, not behind all. */
  private Deadline paced(String namespace, Deadline reached, long now) {
    nexts.values().removeIf(next -> next - now <= 0);
    long at = nexts.getOrDefault(namespace, now + gap.toNanos() * nexts.size());
    nexts.put(namespace, at);
    nexts.put(namespace, at + gap.toNanos() * nexts.size());
    return new Deadline(reached.pod(), at, /* paced= */ true);
  }

  synchronized void forget(ObjectKey unit) {
    deadlines.remove(unit);
  }

  synchronized int size() {
    return deadlines.size();
  }
}
