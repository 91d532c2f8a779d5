package io.gpudra.scenarios.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory with a path short enough for the sockets below it (a Unix socket's path has at most
 * 107 bytes), gone when closed.
 */
public record TemporaryDirectory(Path path) implements AutoCloseable {
  private static final int LONGEST_PARENT = 32;

  /** Makes one. */
  public static TemporaryDirectory create() throws IOException {
    Path usual = Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
    Path parent = usual.toString().length() > LONGEST_PARENT ? Path.of("/tmp") : usual;
    return new TemporaryDirectory(Files.createTempDirectory(parent, "gpudra-"));
  }

  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + path, e);
    }
  }
}
