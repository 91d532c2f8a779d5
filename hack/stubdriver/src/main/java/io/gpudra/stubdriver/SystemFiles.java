package io.gpudra.stubdriver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the driver's programs need where the directory is their root (man 1 chroot). */
public record SystemFiles(Path root) {

  /** Puts it there. */
  public void make() throws IOException {
    Files.createDirectories(root.resolve("tmp"));
    Files.createDirectories(root.resolve("dev/shm"));
    for (CCompiler.Loaded library : CCompiler.loaded(StubDriver.MPS_CONTROL)) {
      Path place = root.resolve(Path.of("/").relativize(library.name()));
      Files.createDirectories(place.resolveSibling(""));
      link(place, library.file());
    }
  }

  /** Many roots share one file, where a file system can. */
  private static void link(Path place, Path file) throws IOException {
    try {
      Files.createLink(place, file);
    } catch (IOException | UnsupportedOperationException e) {
      Files.copy(file, place);
    }
  }
}
