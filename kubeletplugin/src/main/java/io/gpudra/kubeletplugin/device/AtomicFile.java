package io.gpudra.kubeletplugin.device;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that stays complete, old or new, when this process dies; a power cut may lose it. */
public final class AtomicFile {

  private AtomicFile() {}

  /** Written beside it and renamed over it. */
  public static void write(Path file, byte[] content) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".tmp");
    Files.write(unfinished, content);
    Files.move(unfinished, file, ATOMIC_MOVE);
  }
}
