package io.gpudra.kubeletplugin.checkpoint;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The checkpoint as one file: written beside it, synced, renamed over it, directory synced. A file
 * that cannot be trusted is never replaced, since it may be the only trace of devices in use.
 */
public final class CheckpointFile implements CheckpointStore {

  private final Path file;
  private final Path temporary;
  private final CheckpointCodec codec = new CheckpointCodec();

  /** A file that is neither read nor written yet; the directory must exist by then. */
  public CheckpointFile(Path file) {
    this.file = file;
    this.temporary = file.resolveSibling(file.getFileName() + ".tmp");
  }

  @Override
  public Optional<Checkpoint> load() throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    try {
      return Optional.of(CheckpointCodec.decode(bytes));
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "checkpoint %s cannot be trusted (%s); it says which GPUs containers use, so it is not replaced: restore it, or drain the node and remove it"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  @Override
  public void save(Checkpoint checkpoint) throws IOException {
    try {
      replace(codec.encode(checkpoint));
    } catch (IOException e) {
      throw new IOException("checkpoint %s cannot be written: %s".formatted(file, e), e);
    }
  }

  @Override
  public boolean lost() {
    return Files.notExists(file);
  }

  private void replace(byte[] content) throws IOException {
    try (FileChannel out = FileChannel.open(temporary, CREATE, WRITE, TRUNCATE_EXISTING)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(temporary, file, ATOMIC_MOVE);
    try (FileChannel directory = FileChannel.open(file.toAbsolutePath().getParent(), READ)) {
      directory.force(true);
    }
  }
}
