package io.gpudra.nvidia;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** What NVIDIA ships for user space, as {@code hack/nvidia/fetch} brings it into its cache. */
public final class NvidiaPackages {

  /** The script; a property that the build sets. */
  private static final String SCRIPT = "nvidia.fetch";

  private static final int CANNOT_BE_HAD = 3;

  private static final Map<String, Answer> ASKED = new ConcurrentHashMap<>();

  private NvidiaPackages() {}

  /** Whether there is a package. */
  public sealed interface Answer {

    /** It is unpacked there. */
    record Found(Path directory) implements Answer {

      /** The one file whose name begins so. */
      public Path file(String prefix) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
          return all.filter(file -> file.getFileName().toString().startsWith(prefix))
              .filter(file -> !Files.isSymbolicLink(file))
              .findFirst()
              .orElseThrow(() -> new IOException("no %s* below %s".formatted(prefix, directory)));
        }
      }
    }

    /** This machine cannot have it. */
    record Absent(String reason) implements Answer {}
  }

  /**
   * Asks for a package, once in the life of this process; the script lets one process at a time
   * fetch.
   *
   * @throws UncheckedIOException when it could be had, and something went wrong
   */
  public static Answer of(String name) {
    return of(Path.of(System.getProperty(SCRIPT, "hack/nvidia/fetch")), name);
  }

  /** The same with that script. */
  public static Answer of(Path script, String name) {
    return ASKED.computeIfAbsent(
        name,
        key -> {
          try {
            return ask(script, key);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private static Answer ask(Path script, String name) throws IOException {
    ProcessBuilder command = new ProcessBuilder(script.toString(), name);
    command.environment().remove("LD_PRELOAD");
    command.redirectError(ProcessBuilder.Redirect.INHERIT);
    Process process = command.start();
    String words = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    return answer("%s %s".formatted(script, name), exit(process), words);
  }

  private static int exit(Process process) throws IOException {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static Answer answer(String command, int exit, String words) throws IOException {
    return switch (exit) {
      case 0 -> new Answer.Found(Path.of(words));
      case CANNOT_BE_HAD -> new Answer.Absent(words);
      default -> throw new IOException("%s: status %d, \"%s\"".formatted(command, exit, words));
    };
  }
}
