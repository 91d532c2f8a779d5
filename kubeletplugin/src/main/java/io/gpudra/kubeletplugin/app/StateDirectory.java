package io.gpudra.kubeletplugin.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The directory of the checkpoint, used by one process at a time: two would each grant devices the
 * other does not know of.
 */
final class StateDirectory implements AutoCloseable {

  private final Path directory;
  private final DirectoryLock lock;

  private StateDirectory(Path directory, DirectoryLock lock) {
    this.directory = directory;
    this.lock = lock;
  }

  /**
   * Creates the directory when it is missing and locks it.
   *
   * @throws IOException naming the directory when it is not writable or another process has it
   */
  static StateDirectory open(Path directory) throws IOException {
    requireWritable(directory);
    return new StateDirectory(
        directory,
        DirectoryLock.take(
            directory.resolve("lock"),
            "another plugin process is using the state directory " + directory));
  }

  /** Creates a directory when it is missing; fails, naming it, when files cannot be made there. */
  static void requireWritable(Path directory) throws IOException {
    try {
      Files.createDirectories(directory);
      Files.delete(Files.createTempFile(directory, ".write-", ".tmp"));
    } catch (IOException e) {
      throw new IOException("directory %s is not writable: %s".formatted(directory, e), e);
    }
  }

  /** Why the checkpoint can no longer be relied on; empty when all is well. */
  Optional<String> problem() {
    return lock.lost()
        ? Optional.of(
            "state directory %s was removed or replaced; put it back, or drain the node and start the plugin anew"
                .formatted(directory))
        : new WriteProbe(directory.resolve(".probe")).problem();
  }

  StateFiles files() {
    return new StateFiles(directory);
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
