package io.gpudra.scenarios.load;

import io.gpudra.scenarios.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/**
 * What the controller used within some time.
 *
 * @param processor time of all its threads
 * @param calls of the API, but watches, lists, leases and events
 * @param residentKib memory at the end
 */
record Usage(Duration time, Duration processor, long calls, long residentKib) {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int KIB_PER_MIB = 1024;

  /** A count that goes on from here. */
  static final class Meter {
    private final LocalCluster cluster;
    private final ProcessHandle controller;
    private long start = System.nanoTime();
    private Duration processor;
    private long calls;

    Meter(LocalCluster cluster) throws IOException {
      this.cluster = cluster;
      this.controller = cluster.controller();
      this.processor = processor();
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
      Duration before = processor;
      processor = processor();
      look();
      Usage used =
          new Usage(Duration.ofNanos(now - start), processor.minus(before), calls, resident());
      start = now;
      calls = 0;
      return used;
    }

    private Duration processor() throws IOException {
      return controller
          .info()
          .totalCpuDuration()
          .orElseThrow(() -> new IOException("the controller's processor time is not shown here"));
    }

    private long resident() throws IOException {
      return Files.readAllLines(Path.of("/proc", Long.toString(controller.pid()), "status"))
          .stream()
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
          .findFirst()
          .orElse(0);
    }
  }

  Usage plus(Usage later) {
    return new Usage(
        time.plus(later.time),
        processor.plus(later.processor),
        calls + later.calls,
        later.residentKib);
  }

  String perPod(int pods) {
    return text(
        "%.1f ms of processor time and %.1f calls a pod, %d MiB",
        processor.toNanos() / NANOS_PER_MILLI / pods,
        (double) calls / pods,
        residentKib / KIB_PER_MIB);
  }

  String perSecond() {
    return text(
        "%.1f %% of a processor and %.1f calls a second, %d MiB",
        100.0 * processor.toNanos() / time.toNanos(),
        calls * NANOS_PER_SECOND / time.toNanos(),
        residentKib / KIB_PER_MIB);
  }

  double seconds() {
    return time.toNanos() / NANOS_PER_SECOND;
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
