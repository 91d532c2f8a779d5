package io.gpudra.controller.app;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.KeyInProgress;
import io.gpudra.controller.loop.WorkLoop;
import java.time.Duration;
import java.util.function.Supplier;

/** Decides liveness and readiness of the process. */
record ControllerHealth(Supplier<ProcessState> vitals) {

  /**
   * State of the process.
   *
   * @param synced every cache holds its first list
   * @param ending whether the process is stopping
   * @param electing whether the election's thread runs
   * @param oldestWork the longest running reconciliation of each busy loop
   * @param silences time since the last message of each watch
   * @param refusals errors that the API server returns to watches
   */
  record ProcessState(
      boolean synced,
      boolean ending,
      boolean electing,
      ImmutableMap<String, KeyInProgress> oldestWork,
      ImmutableMap<String, Duration> silences,
      ImmutableList<String> refusals) {

    /** Adds further refusals. */
    ProcessState refusedBy(ImmutableList<String> others) {
      return new ProcessState(
          synced,
          ending,
          electing,
          oldestWork,
          silences,
          ImmutableList.<String>builder().addAll(refusals).addAll(others).build());
    }

    static ImmutableMap<String, KeyInProgress> oldestWork(ImmutableList<WorkLoop> loops) {
      ImmutableMap.Builder<String, KeyInProgress> oldest = ImmutableMap.builder();
      loops.forEach(loop -> loop.oldestRunning().ifPresent(key -> oldest.put(loop.name(), key)));
      return oldest.buildOrThrow();
    }
  }

  /** Failures that only a restart fixes. */
  ImmutableList<String> ailments() {
    ProcessState now = vitals.get();
    ImmutableList.Builder<String> found = ImmutableList.builder();
    if (now.synced() && !now.ending() && !now.electing()) {
      found.add("the election's thread has ended");
    }
    now.oldestWork().entrySet().stream()
        .filter(loop -> loop.getValue().time().compareTo(ControllerDelays.MAX_WORK) > 0)
        .map(loop -> stuck(loop.getKey(), loop.getValue()))
        .forEach(found::add);
    now.silences().entrySet().stream()
        .filter(watch -> watch.getValue().compareTo(ControllerDelays.MAX_SILENCE) > 0)
        .map(watch -> silent(watch.getKey(), watch.getValue()))
        .forEach(found::add);
    return found.build();
  }

  /** The reasons why the process is not ready; empty if it works or stands by. */
  ImmutableList<String> hindrances() {
    ProcessState now = vitals.get();
    ImmutableList.Builder<String> found = ImmutableList.builder();
    if (!now.synced()) {
      found.add("caches are not filled yet");
    }
    if (now.ending()) {
      found.add("stopping");
    }
    return found.addAll(now.refusals()).build();
  }

  private static String stuck(String loop, KeyInProgress work) {
    return "a worker of %s has been busy with %s for %d s"
        .formatted(loop, work.key(), work.time().toSeconds());
  }

  private static String silent(String plural, Duration silence) {
    return "the watch of %s has been silent for %d s".formatted(plural, silence.toSeconds());
  }
}
