package io.gpudra.kubeletplugin.app;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A file that one process at a time has; the operating system drops it when the process dies. */
final class DirectoryLock implements AutoCloseable {

  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Creates the file when it is missing and locks it.
   *
   * @throws IOException with the given text when somebody has it
   */
  static DirectoryLock take(Path file, String whenTaken) throws IOException {
    FileChannel channel = FileChannel.open(file, CREATE, WRITE);
    if (tryLock(channel) == null) {
      channel.close();
      throw new IOException(whenTaken);
    }
    return new DirectoryLock(channel);
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
