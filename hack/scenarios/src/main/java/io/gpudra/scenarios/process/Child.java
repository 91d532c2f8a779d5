package io.gpudra.scenarios.process;

import com.google.common.collect.ImmutableList;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** One process of ours, with its output in a file. */
public final class Child {
  private static final int SHOWN_LINES = 50;
  private static final long STOP_LIMIT_SECONDS = 10;
  private static final long KILL_LIMIT_SECONDS = 10;

  private final String name;
  private final Process process;
  private final Path log;
  private volatile boolean stopping;

  private Child(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /** Starts a command. */
  static Child start(String name, List<String> command, Path log, Redirect output)
      throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output)
            .redirectInput(Redirect.from(new File("/dev/null")))
            .start();
    return new Child(name, process, log);
  }

  /** The name it was started under. */
  public String name() {
    return name;
  }

  /** Where its output goes. */
  public Path log() {
    return log;
  }

  /** Its number. */
  public long pid() {
    return process.pid();
  }

  /** Kills it like a crash, without cleanup, and waits until it is gone. */
  public void kill() {
    try {
      process.destroyForcibly().waitFor(KILL_LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Suspends it, like a paused machine, until {@link #thaw}. */
  public void freeze() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** Resumes it. */
  public void thaw() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String signal) throws IOException, InterruptedException {
    int code =
        new ProcessBuilder("kill", "-" + signal, Long.toString(pid()))
            .inheritIO()
            .start()
            .waitFor();
    if (code != 0) {
      throw new IOException("cannot send SIG%s to %s".formatted(signal, name));
    }
  }

  /** The code it ended with, if it has. */
  public Optional<Integer> exitCode() {
    return process.isAlive() ? Optional.empty() : Optional.of(process.exitValue());
  }

  /** The first group of the last match in its output and that of its predecessors. */
  public Optional<String> said(Pattern pattern) throws IOException {
    return pattern
        .matcher(Files.readString(log, StandardCharsets.ISO_8859_1))
        .results()
        .reduce((earlier, later) -> later)
        .map(match -> match.group(1));
  }

  /** Asks it to stop, as {@code kill} does. */
  void askToStop() {
    stopping = true;
    process.destroy();
  }

  /** Waits until it has stopped, and kills it when that takes too long. */
  void awaitStop() {
    try {
      if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /** A message if it ended unexpectedly. */
  Optional<String> death() {
    if (process.isAlive() || stopping) {
      return Optional.empty();
    }
    return Optional.of(
        "%s died with exit code %d; last lines of %s:%n%s"
            .formatted(name, process.exitValue(), log, String.join("\n", lastLines())));
  }

  /** The end of its output. */
  ImmutableList<String> lastLines() {
    try {
      List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
      return ImmutableList.copyOf(
          lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
    } catch (IOException e) {
      return ImmutableList.of("(no log: " + e + ")");
    }
  }
}
