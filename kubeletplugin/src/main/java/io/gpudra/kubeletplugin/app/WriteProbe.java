package io.gpudra.kubeletplugin.app;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Checks whether a directory is still writable.
 *
 * @param file created and removed again; not used for anything else
 */
record WriteProbe(Path file) {

  /** The size of the file; a full disk may still have room for less. */
  private static final int BYTES = 4096;

  /** A sentence that names the directory; empty when it is writable. */
  Optional<String> problem() {
    try {
      Files.write(file, new byte[BYTES], CREATE, WRITE, TRUNCATE_EXISTING, SYNC);
      Files.delete(file);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("directory %s is not writable: %s".formatted(file.getParent(), e));
    }
  }
}
