package io.gpudra.kubeletplugin.app;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The directory of the checkpoint, used by one process at a time: two would each grant devices the
 * other does not know of. The operating system drops the lock when the process dies.
 */
final class StateDirectory implements AutoCloseable {

  private final Path directory;
  private final FileChannel channel;

  private StateDirectory(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /**
   * Creates the directory when it is missing and locks it.
   *
   * @throws IOException naming the directory when it is not writable or another process has it
   */
  static StateDirectory open(Path directory) throws IOException {
    requireWritable(directory);
    FileChannel channel = FileChannel.open(directory.resolve("lock"), CREATE, WRITE);
    if (tryLock(channel) == null) {
      channel.close();
      throw new IOException("another plugin process is using the state directory " + directory);
    }
    return new StateDirectory(directory, channel);
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
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

  Path checkpoint() {
    return directory.resolve("checkpoint.json");
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
