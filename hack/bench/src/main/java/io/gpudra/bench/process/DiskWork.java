package io.gpudra.bench.process;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** What of a prepare is the disk's time: its writes, and nothing else. */
final class DiskWork {
  private static final int SPEC_BYTES = 4096;

  private DiskWork() {}

  /**
   * Checkpoints and a spec file, as a plugin writes them.
   *
   * @param directory that of the plugin's checkpoint
   * @param checkpoints how often it is written
   * @param checkpointBytes how much is in a checkpoint
   */
  static void ofPrepare(Path directory, int checkpoints, int checkpointBytes) throws IOException {
    replace(directory.resolve("spec"), SPEC_BYTES);
    for (int i = 0; i < checkpoints; i++) {
      replaceCheckpoint(directory, checkpointBytes);
    }
  }

  private static void replaceCheckpoint(Path directory, int bytes) throws IOException {
    replace(directory.resolve("probe"), bytes);
    try (FileChannel entries = FileChannel.open(directory, READ)) {
      entries.force(true);
    }
  }

  private static void replace(Path file, int bytes) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    writeSynced(unfinished, bytes);
    Files.move(unfinished, file, ATOMIC_MOVE);
  }

  /** One write of so much. */
  static void writeSynced(Path file, int bytes) throws IOException {
    try (FileChannel out = FileChannel.open(file, CREATE, WRITE, TRUNCATE_EXISTING)) {
      out.write(ByteBuffer.allocate(bytes));
      out.force(true);
    }
  }
}
