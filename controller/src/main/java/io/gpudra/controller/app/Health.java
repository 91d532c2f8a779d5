package io.gpudra.controller.app;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

/** Judges whether the process lives and may be relied on. */
final class Health {

  /** The longest pass is a batch of calls with their timeouts; this is far beyond. */
  static final Duration LONGEST_WORK = Duration.ofMinutes(2);

  /** A healthy watch is renewed every 8 minutes and 30 seconds at the latest. */
  static final Duration LONGEST_SILENCE = Duration.ofMinutes(15);

  private final Supplier<Vitals> vitals;

  /**
   * What can be seen of the process.
   *
   * @param synced every cache holds its first list
   * @param ending it was told to stop
   * @param electing the election's thread runs
   * @param oldestWork the longest running reconcile of each loop
   * @param silences time since each watch last heard from the server
   */
  record Vitals(
      boolean synced,
      boolean ending,
      boolean electing,
      ImmutableMap<String, Duration> oldestWork,
      ImmutableMap<String, Duration> silences) {}

  Health(Supplier<Vitals> vitals) {
    this.vitals = vitals;
  }

  /** What only a restart mends; empty when nothing does. */
  ImmutableList<String> ailments() {
    Vitals now = vitals.get();
    ImmutableList.Builder<String> found = ImmutableList.builder();
    if (now.synced() && !now.ending() && !now.electing()) {
      found.add("the election's thread has ended");
    }
    longer(now.oldestWork(), LONGEST_WORK, "a worker of %s has been busy for %d s", found);
    longer(now.silences(), LONGEST_SILENCE, "the watch of %s has been silent for %d s", found);
    return found.build();
  }

  /** Why no new work should be expected of it; empty when it works or stands by. */
  ImmutableList<String> hindrances() {
    Vitals now = vitals.get();
    ImmutableList.Builder<String> found = ImmutableList.builder();
    if (!now.synced()) {
      found.add("caches are not filled yet");
    }
    if (now.ending()) {
      found.add("stopping");
    }
    return found.build();
  }

  private static void longer(
      Map<String, Duration> times,
      Duration limit,
      String sentence,
      ImmutableList.Builder<String> found) {
    times.forEach(
        (name, time) -> {
          if (time.compareTo(limit) > 0) {
            found.add(sentence.formatted(name, time.toSeconds()));
          }
        });
  }
}
