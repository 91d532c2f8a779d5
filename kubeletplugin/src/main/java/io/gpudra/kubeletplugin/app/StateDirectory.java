package io.gpudra.kubeletplugin.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The directory of the checkpoint, used by one process at a time: each of two processes would
 * prepare devices that the other does not know of.
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
   * @throws IOException naming the directory when it is not writable or another process uses it
   */
  static StateDirectory open(Path directory) throws IOException {
    requireWritable(directory);
    return new StateDirectory(
        directory,
        DirectoryLock.acquire(
            directory.resolve("lock"),
            "another plugin process is using the state directory " + directory));
  }

  /** Creates a directory when it is missing. Fails, naming it, when it is not writable. */
  static void requireWritable(Path directory) throws IOException {
    try {
      Files.createDirectories(directory);
      Files.delete(Files.createTempFile(directory, ".write-", ".tmp"));
    } catch (IOException e) {
      throw new IOException("directory %s is not writable: %s".formatted(directory, e), e);
    }
  }

  /** The reason why the checkpoint is no longer reliable; empty when it is. */
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
