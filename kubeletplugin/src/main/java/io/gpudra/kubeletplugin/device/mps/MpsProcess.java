package io.gpudra.kubeletplugin.device.mps;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One server: its directory, its process, and what it should be. */
final class MpsProcess {

  private static final Duration LONGEST_STOP = Duration.ofSeconds(5);
  private static final long MIB = 1L << 20;

  private final Path directory;
  private final MpsControl control;
  private final Duration patience;

  // Guarded by this.
  private Optional<MpsServer> wanted = Optional.empty();

  MpsProcess(Path directory, MpsControl control, Duration patience) {
    this.directory = directory;
    this.control = control;
    this.patience = patience;
  }

  MpsPaths paths() {
    return new MpsPaths(directory.resolve("pipe"), directory.resolve("shm"));
  }

  private Path pipe() {
    return paths().pipes().resolve(MpsControl.PIPE);
  }

  synchronized void start(MpsServer server) throws IOException {
    if (!runs(server)) {
      end();
      launch(server);
    }
    wanted = Optional.of(server);
  }

  /** True when it had to be started. */
  synchronized boolean revive() throws IOException {
    if (wanted.isEmpty() || runs(wanted.get())) {
      return false;
    }
    end();
    launch(wanted.get());
    return true;
  }

  synchronized void stop() throws IOException {
    wanted = Optional.empty();
    end();
  }

  /** Also one of an earlier process. */
  private boolean runs(MpsServer server) throws IOException {
    return process().isPresent() && read("settings").equals(Optional.of(server.toString()));
  }

  private void launch(MpsServer server) throws IOException {
    Files.createDirectories(paths().pipes());
    Files.createDirectories(paths().memory());
    ProcessBuilder builder = new ProcessBuilder(control.server());
    builder.environment().putAll(control.environment());
    builder.environment().putAll(environment(server));
    builder.redirectErrorStream(true).redirectOutput(directory.resolve("control.log").toFile());
    try {
      Process process = control.start(builder, paths());
      Files.writeString(directory.resolve("process"), identity(process.toHandle()));
      awaitAnswer(server.name(), process);
      limit(server);
      Files.writeString(directory.resolve("settings"), server.toString());
    } catch (IOException e) {
      end();
      throw e;
    }
  }

  private Map<String, String> environment(MpsServer server) {
    return Map.of(
        "CUDA_VISIBLE_DEVICES", String.join(",", server.pinnedMemory().keySet()),
        "CUDA_MPS_PIPE_DIRECTORY", paths().pipes().toString(),
        "CUDA_MPS_LOG_DIRECTORY", directory.toString());
  }

  private void awaitAnswer(String name, Process process) throws IOException {
    long end = System.nanoTime() + patience.toNanos();
    while (process.isAlive() && System.nanoTime() < end) {
      if (Files.exists(pipe()) && answers()) {
        return;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    throw new IOException(
        "MPS server of %s %s"
            .formatted(
                name,
                process.isAlive()
                    ? "does not answer after %d ms".formatted(patience.toMillis())
                    : "ended with status %d %s".formatted(process.exitValue(), lastWords())));
  }

  private String lastWords() throws IOException {
    return Files.readAllLines(directory.resolve("control.log")).stream()
        .reduce((before, line) -> line)
        .orElse("");
  }

  private boolean answers() {
    try {
      return !ask("get_default_active_thread_percentage").isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  private void limit(MpsServer server) throws IOException {
    if (server.threads().isPresent()) {
      ask("set_default_active_thread_percentage " + server.threads().getAsInt());
    }
    for (Map.Entry<String, Long> pinned : server.pinnedMemory().entrySet()) {
      if (pinned.getValue() > 0) {
        ask(
            "set_default_device_pinned_mem_limit %s %dM"
                .formatted(pinned.getKey(), pinned.getValue() / MIB));
      }
    }
  }

  /** Waits no longer than a start may take. */
  private String ask(String command) throws IOException {
    return control.ask(paths().pipes(), command, patience);
  }

  private void end() throws IOException {
    Optional<ProcessHandle> process = process();
    if (process.isPresent()) {
      quit(process.get());
    }
    if (Files.exists(directory)) {
      control.cleanUp(paths());
      MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
    }
  }

  private void quit(ProcessHandle process) {
    long end = System.nanoTime() + (askedToQuit() ? LONGEST_STOP.toNanos() : 0);
    while (process.isAlive()) {
      if (System.nanoTime() > end) {
        process.destroyForcibly();
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private boolean askedToQuit() {
    try {
      ask("quit");
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private Optional<ProcessHandle> process() throws IOException {
    return read("process")
        .flatMap(
            known ->
                ProcessHandle.of(Long.parseLong(known.substring(0, known.indexOf(' '))))
                    .filter(ProcessHandle::isAlive)
                    .filter(process -> identity(process).equals(known)));
  }

  /** Numbers of processes are used again. */
  private static String identity(ProcessHandle process) {
    return process.pid() + " " + process.info().startInstant().map(Object::toString).orElse("");
  }

  private Optional<String> read(String file) throws IOException {
    Path path = directory.resolve(file);
    return Files.exists(path) ? Optional.of(Files.readString(path)) : Optional.empty();
  }
}
