package io.gpudra.kubeletplugin.device.mps;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One server: its directory, its process, and its wanted state. */
final class MpsProcess {

  private static final int MAX_WORDS = 64 << 10;
  private static final Duration MAX_STOP = Duration.ofSeconds(5);

  private final Path directory;
  private final MpsControl control;
  private final Duration patience;
  private final ProcessTree processTree;
  private final ControlLog log;

  // Guarded by this.
  private Optional<MpsServer> wanted = Optional.empty();

  MpsProcess(Path directory, MpsControl control, Duration patience) {
    this.directory = directory;
    this.control = control;
    this.patience = patience;
    this.processTree = new ProcessTree(directory);
    this.log = new ControlLog(words());
  }

  /** A server and its clients know the pipes by the same name, for which see {@code CdiSpec}. */
  MpsPaths paths() {
    return new MpsPaths(directory.resolve("nvidia-mps"), directory.resolve("shm"));
  }

  private Path words() {
    return directory.resolve("control.log");
  }

  private Path settings() {
    return directory.resolve("settings");
  }

  private Path process() {
    return directory.resolve("process");
  }

  synchronized void start(MpsServer server) throws IOException {
    if (!runs(server)) {
      launch(server);
    }
    wanted = Optional.of(server);
  }

  /** Returns true when the server had to be started. */
  synchronized boolean revive() throws IOException {
    if (wanted.isEmpty() || runs(wanted.get())) {
      return false;
    }
    launch(wanted.get());
    return true;
  }

  /** The users that wait for the server now. The call also keeps its log short. */
  synchronized Optional<ControlLog.Queue> queue() throws IOException {
    ControlLog.keepShort(directory.resolve("server.log"));
    return log.queue();
  }

  synchronized void stop() throws IOException {
    wanted = Optional.empty();
    endProcesses();
    removeDirectory();
  }

  private void removeDirectory() throws IOException {
    if (Files.exists(directory)) {
      control.cleanUp(paths());
      DirectoryTreeDeleter.delete(directory.resolveSibling(""), directory.getFileName().toString());
    }
  }

  /** Whether the server runs with these settings, even if an earlier process started it. */
  private boolean runs(MpsServer server) throws IOException {
    return read(process())
            .filter(pid -> pid.matches("\\d{1,18}"))
            .map(Long::valueOf)
            .flatMap(ProcessHandle::of)
            .filter(processTree::runs)
            .isPresent()
        && read(settings()).equals(Optional.of(server.toString()));
  }

  private void launch(MpsServer server) throws IOException {
    boolean first = Files.notExists(directory);
    try {
      endProcesses();
      makeRoom();
      begin(server);
      Files.writeString(settings(), server.toString());
    } catch (IOException e) {
      giveUp(first);
      throw e;
    }
  }

  /** Gives up a start. Earlier files stay, since running containers have mounted them. */
  private void giveUp(boolean first) throws IOException {
    endProcesses();
    if (first) {
      removeDirectory();
    }
  }

  private void begin(MpsServer server) throws IOException {
    Process process = control.start(program(server), paths());
    Files.writeString(process(), String.valueOf(process.pid()));
    awaitAnswer(server.name(), process);
    new MpsLimits(server, this::ask).set();
  }

  private void makeRoom() throws IOException {
    Files.createDirectories(paths().pipes());
    Files.createDirectories(paths().memory());
    log.begin();
    control.makeRoom(paths());
    DirectoryTreeDeleter.empty(directory, paths().pipes().getFileName().toString());
  }

  private ProcessBuilder program(MpsServer server) throws IOException {
    ProcessBuilder program = new ProcessBuilder(control.server());
    program.environment().putAll(control.environment(paths()));
    program
        .environment()
        .put("CUDA_VISIBLE_DEVICES", String.join(",", server.pinnedMemory().keySet()));
    processTree.mark(program.environment());
    return program
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(words().toFile()));
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
    try (InputStream log = Files.newInputStream(words())) {
      return new String(log.readNBytes(MAX_WORDS), UTF_8)
          .lines()
          .reduce((before, line) -> line)
          .orElse("");
    }
  }

  private boolean answers() {
    try {
      return !ask("get_default_active_thread_percentage").isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  /** Sends a command, and waits no longer than a start may take. */
  private String ask(String command) throws IOException {
    return control.ask(paths(), command, patience);
  }

  /** Ends the processes, also those of a server that died: they keep its devices. */
  private void endProcesses() throws IOException {
    // Without settings, the server no longer counts as one that runs with its limits.
    Files.deleteIfExists(settings());
    ImmutableList<ProcessHandle> left = processTree.all();
    if (left.isEmpty()) {
      return;
    }
    long asked = System.nanoTime() + (askedToQuit() ? MAX_STOP.toNanos() : 0);
    if (!haveEnded(left, asked)) {
      left.stream().filter(processTree::runs).forEach(ProcessHandle::destroyForcibly);
      if (!haveEnded(left, System.nanoTime() + MAX_STOP.toNanos())) {
        throw new IOException(
            "processes %s of the MPS server in %s cannot be ended; a GPU that hangs needs a reset"
                .formatted(left.stream().map(ProcessHandle::pid).toList(), directory));
      }
    }
  }

  private boolean haveEnded(ImmutableList<ProcessHandle> all, long end) {
    while (all.stream().anyMatch(processTree::runs)) {
      if (System.nanoTime() > end) {
        return false;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
    return true;
  }

  private boolean askedToQuit() {
    if (Files.notExists(pipe())) {
      return false;
    }
    try {
      ask("quit");
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private Path pipe() {
    return paths().pipes().resolve(MpsControl.PIPE);
  }

  private static Optional<String> read(Path file) throws IOException {
    return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
  }
}
