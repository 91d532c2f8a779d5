package io.gpudra.kubeletplugin.device.nvidia;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The files of a root directory that is not ours: its links start at it, not at our root.
 *
 * @param path of the root, as this process sees it
 */
public record RootFiles(Path path) {

  /** The limit of the kernel. */
  private static final int MAX_LINKS = 40;

  /** The path of a file as seen from the root, such as {@code /usr/bin/nvidia-smi}. */
  Path inside(Path file) {
    return Path.of("/").resolve(path.relativize(file));
  }

  /** The path of a file in the root as this process sees it, without following links. */
  Path outside(Path inside) {
    return path.resolve(Path.of("/").relativize(Path.of("/").resolve(inside).normalize()));
  }

  /**
   * The file to which a path in the root leads.
   *
   * @param inside the path as seen from the root
   * @return absent when it leads nowhere
   */
  public Optional<Path> resolve(Path inside) throws IOException {
    Path left = path.relativize(outside(inside));
    Path reached = path;
    for (int links = 0; links < MAX_LINKS; ) {
      if (left.toString().isEmpty()) {
        return Optional.of(reached).filter(Files::exists);
      }
      Path next = reached.resolve(left.getName(0));
      Path rest = left.getNameCount() > 1 ? left.subpath(1, left.getNameCount()) : Path.of("");
      if (Files.isSymbolicLink(next)) {
        Path target = inside(reached).resolve(Files.readSymbolicLink(next));
        left = Path.of("/").relativize(target.resolve(rest).normalize());
        reached = path;
        links++;
      } else if (Files.exists(next, LinkOption.NOFOLLOW_LINKS)) {
        reached = next;
        left = rest;
      } else {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }
}
