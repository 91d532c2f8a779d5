package io.gpudra.scenarios.cluster;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A file system of a few pages in the place of a directory. */
record SmallDisk(Path directory) implements AutoCloseable {

  /** Skips the test when this user cannot mount anything. */
  static SmallDisk mount(Path directory) throws IOException {
    assumeThat(call("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", directory.toString()))
        .as("exit code of mount, which needs root rights")
        .isZero();
    return new SmallDisk(directory);
  }

  /** Nothing more can be written. */
  void fill() throws IOException {
    try (var out = Files.newOutputStream(filler())) {
      while (true) {
        out.write(new byte[1024]);
      }
    } catch (IOException full) {
      if (!String.valueOf(full.getMessage()).contains("No space left")) {
        throw full;
      }
    }
  }

  void makeRoom() throws IOException {
    Files.delete(filler());
  }

  void writable(boolean writable) throws IOException {
    run("mount", "-o", "remount," + (writable ? "rw" : "ro"), directory.toString());
  }

  private Path filler() {
    return directory.resolve("filler");
  }

  private static void run(String... command) throws IOException {
    if (call(command) != 0) {
      throw new IOException("failed: " + String.join(" ", List.of(command)));
    }
  }

  private static int call(String... command) throws IOException {
    try {
      return new ProcessBuilder(command).inheritIO().start().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(String.join(" ", List.of(command)));
    }
  }

  /** Nobody may use it any more. */
  @Override
  public void close() throws IOException {
    run("umount", directory.toString());
  }
}
