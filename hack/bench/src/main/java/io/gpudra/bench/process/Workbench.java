package io.gpudra.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where measuring is done.
 *
 * @param root the repository, built
 * @param directory for logs and whatever else is left behind
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

  /** A place for one benchmark. */
  Path place(String name) throws IOException {
    return Files.createDirectories(directory.resolve(name));
  }
}
