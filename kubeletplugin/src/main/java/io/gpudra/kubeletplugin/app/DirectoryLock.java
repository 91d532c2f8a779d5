package io.gpudra.kubeletplugin.app;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A file that one process at a time has locked; the lock ends with the process. */
final class DirectoryLock implements AutoCloseable {

  private final FileChannel channel;

  private final Path file;
  private final @Nullable Object identity;

  private DirectoryLock(FileChannel channel, Path file) throws IOException {
    this.channel = channel;
    this.file = file;
    this.identity = identity(file);
  }

  private static @Nullable Object identity(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  /**
   * Creates the file when it is missing and locks it.
   *
   * @throws IOException with the given text when another process holds the lock
   */
  static DirectoryLock acquire(Path file, String whenTaken) throws IOException {
    FileChannel channel = FileChannel.open(file, CREATE, WRITE);
    if (tryLock(channel) == null) {
      channel.close();
      throw new IOException(whenTaken);
    }
    return new DirectoryLock(channel, file);
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  /** Whether the file was replaced or removed, so that another process may lock it. */
  boolean lost() {
    try {
      return !Objects.equals(identity, identity(file));
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
