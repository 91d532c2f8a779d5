package io.gpudra.process;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.common.primitives.Ints;
import io.netty.channel.DefaultFileRegion;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the use of time and memory, as long as the client waits. There is one recording at a
 * time, until it has been sent.
 */
final class RecordingPage implements HttpPage {

  private static final Logger log = LoggerFactory.getLogger(RecordingPage.class);

  static final int MAX_SECONDS = 60;
  static final long MAX_BYTES = 32L << 20;

  /**
   * The events of a recording. An allowlist: a denylist would miss new events of the next Java
   * release. Excluded are the environment, system properties, arguments, command lines of other
   * processes, messages of exceptions, names of files and hosts.
   */
  static final ImmutableSet<String> EVENTS =
      ImmutableSet.of(
          "jdk.CPULoad",
          "jdk.ClassLoadingStatistics",
          "jdk.ContainerCPUThrottling",
          "jdk.ContainerMemoryUsage",
          "jdk.ExecutionSample",
          "jdk.GCHeapSummary",
          "jdk.GCPhasePause",
          "jdk.GarbageCollection",
          "jdk.JavaMonitorEnter",
          "jdk.JavaMonitorWait",
          "jdk.JavaThreadStatistics",
          "jdk.NativeMethodSample",
          "jdk.ObjectAllocationSample",
          "jdk.ThreadCPULoad",
          "jdk.ThreadEnd",
          "jdk.ThreadPark",
          "jdk.ThreadStart");

  private static final Duration SAMPLING = Duration.ofMillis(20);
  private static final Duration STATISTICS = Duration.ofSeconds(1);
  private static final Duration MIN_WAIT = Duration.ofMillis(10);

  private final long mostBytes;
  private final Semaphore free = new Semaphore(1);

  RecordingPage() {
    this(MAX_BYTES);
  }

  RecordingPage(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  @Override
  public PageContent answer(ImmutableMap<String, String> query) {
    Set<String> unknown = Sets.difference(query.keySet(), ImmutableSet.of("seconds"));
    if (!unknown.isEmpty()) {
      return JvmDiagnostics.unknown(unknown, "seconds");
    }
    return seconds(query.getOrDefault("seconds", ""))
        .map(this::alone)
        .orElseGet(
            () ->
                PageContent.text(400, "seconds: a number from 1 to " + MAX_SECONDS + " is needed"));
  }

  private static Optional<Integer> seconds(String text) {
    return Optional.ofNullable(Ints.tryParse(text)).filter(n -> n >= 1 && n <= MAX_SECONDS);
  }

  private PageContent alone(int seconds) {
    if (!free.tryAcquire()) {
      return PageContent.text(429, "one recording at a time: another is being made or fetched");
    }
    boolean kept = false;
    try {
      PageContent pageContent = recorded(seconds);
      kept = pageContent instanceof PageContent.Download;
      return pageContent;
    } catch (IOException e) {
      log.error("no recording was written", e);
      return PageContent.text(500, "the recording could not be written, see the log");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return PageContent.text(503, "stopping");
    } finally {
      if (!kept) {
        free.release();
      }
    }
  }

  private PageContent recorded(int seconds) throws IOException, InterruptedException {
    Path file = Files.createTempFile("gpudra", ".jfr");
    try (Recording recording = new Recording()) {
      choose(recording);
      recording.setMaxSize(mostBytes);
      recording.start();
      TimeUnit.SECONDS.sleep(seconds);
      recording.stop();
      recording.dump(file);
      long bytes = Files.size(file);
      return bytes > mostBytes
          ? PageContent.text(
              500,
              "the recording has %,d bytes, more than %,d: ask for fewer seconds"
                  .formatted(bytes, mostBytes))
          : new PageContent.Download(new Region(file, bytes));
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private static void choose(Recording recording) {
    for (EventType type : FlightRecorder.getFlightRecorder().getEventTypes()) {
      if (EVENTS.contains(type.getName())) {
        recording
            .enable(type.getName())
            .withPeriod(type.getName().endsWith("Sample") ? SAMPLING : STATISTICS)
            .withThreshold(MIN_WAIT);
      } else {
        recording.disable(type.getName());
      }
    }
  }

  /** The file is already unlinked; closing the region frees it. */
  private final class Region extends DefaultFileRegion {

    private Region(Path file, long bytes) throws IOException {
      super(FileChannel.open(file, StandardOpenOption.READ), 0, bytes);
    }

    @Override
    protected void deallocate() {
      super.deallocate();
      free.release();
    }
  }
}
