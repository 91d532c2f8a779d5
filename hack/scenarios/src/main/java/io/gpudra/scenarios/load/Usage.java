package io.gpudra.scenarios.load;

import io.gpudra.scenarios.cluster.LocalCluster;
import io.gpudra.scenarios.process.ProcessUsage;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;

/**
 * What the controller used within some time.
 *
 * @param cpuSeconds of all its threads
 * @param calls of the API, but watches, lists, leases and events
 * @param memoryMiB resident at the end
 */
record Usage(Duration time, double cpuSeconds, long calls, double memoryMiB) {
  private static final double MILLIS_PER_SECOND = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;

  /** A count that goes on from here. */
  static final class Meter {
    private final LocalCluster cluster;
    private final ProcessHandle controller;
    private long start = System.nanoTime();
    private double cpuSeconds;
    private long calls;

    Meter(LocalCluster cluster) throws IOException {
      this.cluster = cluster;
      this.controller = cluster.controller();
      this.cpuSeconds = ProcessUsage.of(controller.pid()).cpuSeconds();
      cluster.requests().clear();
    }

    /** Counts the calls so far: the server remembers the newest only. */
    void look() {
      calls += cluster.requests().count(LocalCluster::isControllerCall);
      cluster.requests().clear();
    }

    /** What was used since the last time. */
    Usage take() throws IOException {
      long now = System.nanoTime();
      ProcessUsage process = ProcessUsage.of(controller.pid());
      look();
      Usage used =
          new Usage(
              Duration.ofNanos(now - start),
              process.cpuSeconds() - cpuSeconds,
              calls,
              process.memoryMiB());
      cpuSeconds = process.cpuSeconds();
      start = now;
      calls = 0;
      return used;
    }
  }

  Usage plus(Usage later) {
    return new Usage(
        time.plus(later.time), cpuSeconds + later.cpuSeconds, calls + later.calls, later.memoryMiB);
  }

  String perPod(int pods) {
    return text(
        "%.1f ms of processor time and %.1f calls a pod, %.0f MiB",
        cpuSeconds * MILLIS_PER_SECOND / pods, (double) calls / pods, memoryMiB);
  }

  String perSecond() {
    return text(
        "%.1f %% of a processor and %.1f calls a second, %.0f MiB",
        100 * cpuSeconds / seconds(), calls / seconds(), memoryMiB);
  }

  double seconds() {
    return time.toNanos() / NANOS_PER_SECOND;
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
