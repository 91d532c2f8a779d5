package io.gpudra.bench.process;

import io.gpudra.scenarios.process.ProcessUsage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process under test, with its output in a file. */
public final class Subprocess implements AutoCloseable {
  private static final long STOP_LIMIT_SECONDS = 10;
  private static final long LOOK_MILLIS = 10;

  private final Process process;
  private final Path log;

  private Subprocess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** It ends with this process at the latest. */
  public static Subprocess start(List<String> command, Path log) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
    return new Subprocess(process, log);
  }

  /** Its number. */
  public long pid() {
    return process.pid();
  }

  /** What it has used so far. */
  public ProcessUsage usage() throws IOException {
    return ProcessUsage.of(pid());
  }

  /** Waits for its end. */
  public int exitCode() throws InterruptedException {
    return process.waitFor();
  }

  /**
   * Waits for its end, and looks how much memory it has until then.
   *
   * @return most memory in MiB
   */
  double peakMemoryMiB() throws InterruptedException {
    double peak = 0;
    while (process.isAlive()) {
      peak = Math.max(peak, peakMemoryNow());
      Thread.sleep(LOOK_MILLIS);
    }
    return peak;
  }

  private double peakMemoryNow() {
    try {
      return usage().peakMemoryMiB();
    } catch (IOException hasEnded) {
      return 0;
    }
  }

  /** Fails when it has ended. */
  public void mustLive() throws IOException {
    if (!process.isAlive()) {
      throw new IOException("a process ended with %d, see %s".formatted(process.exitValue(), log));
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
