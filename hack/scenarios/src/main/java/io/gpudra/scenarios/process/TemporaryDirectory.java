package io.gpudra.scenarios.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory with a path short enough for the sockets below it (a Unix socket's path has at most
 * 107 bytes), gone when closed.
 */
public record TemporaryDirectory(Path path) implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TemporaryDirectory.class);
  private static final int LONGEST_PARENT = 20;
  private static final FileAttribute<?> OURS_ALONE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  /** Makes one, {@code gpudra-<process>-<number>}: a name made of chance would be longer. */
  public static TemporaryDirectory create() throws IOException {
    Path usual = Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
    Path parent = usual.toString().length() > LONGEST_PARENT ? Path.of("/tmp") : usual;
    for (int number = 0; ; number++) {
      String name = "gpudra-" + ProcessHandle.current().pid() + "-" + number;
      try {
        return new TemporaryDirectory(Files.createDirectory(parent.resolve(name), OURS_ALONE));
      } catch (FileAlreadyExistsException e) {
        LOG.debug("left by an earlier process or in use: {}", name, e);
      }
    }
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
