package io.gpudra.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Directories of a measurement.
 *
 * @param root the built repository
 * @param directory for logs and other output
 */
public record Workbench(Path root, Path directory) {

  /** As it is shipped. */
  public Binary controller() throws IOException {
    return Binary.of(root, "controller");
  }

  /** As it is shipped. */
  Binary plugin() throws IOException {
    return Binary.of(root, "kubeletplugin");
  }

  /** A directory for one benchmark. */
  Path place(String name) throws IOException {
    return Files.createDirectories(directory.resolve(name));
  }
}
