package io.gpudra.bench.real;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The driver under test, with its output in a file. */
final class DriverProcess implements AutoCloseable {
  private static final long STOP_LIMIT_SECONDS = 10;

  private final Process process;
  private final Path log;

  private DriverProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** It ends with this process at the latest. */
  static DriverProcess start(List<String> command, Path log) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
    return new DriverProcess(process, log);
  }

  long pid() {
    return process.pid();
  }

  void mustLive() throws IOException {
    if (!process.isAlive()) {
      throw new IOException("driver ended with %d, see %s".formatted(process.exitValue(), log));
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
