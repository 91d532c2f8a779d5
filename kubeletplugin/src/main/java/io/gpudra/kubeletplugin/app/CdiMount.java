package io.gpudra.kubeletplugin.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The directory as the host has it. In a container it is a mount, which follows the directory of
 * the start wherever it goes: when the host has another one in its place, runtimes do not see what
 * we write, and only a new container does.
 */
record CdiMount(Path mountInfo, Path directory, Optional<String> rootAtStart) {

  private static final Pattern SPACE = Pattern.compile(" ");
  private static final int ROOT = 3;
  private static final int MOUNT_POINT = 4;

  /**
   * Remembers what is mounted now.
   *
   * @param mountInfo as {@code /proc/self/mountinfo}
   */
  static CdiMount at(Path mountInfo, Path directory) throws IOException {
    Path absolute = directory.toAbsolutePath().normalize();
    return new CdiMount(mountInfo, absolute, root(mountInfo, absolute));
  }

  /** Why what is written here does not arrive where it should; empty when all is well. */
  Optional<String> problem() {
    try {
      Optional<String> now = root(mountInfo, directory);
      return now.equals(rootAtStart)
          ? Optional.empty()
          : Optional.of(
              "directory %s was removed or replaced on the host (it was %s, it is %s): the plugin's container must start anew"
                  .formatted(directory, rootAtStart.orElse("none"), now.orElse("none")));
    } catch (IOException e) {
      return Optional.of("cannot read %s: %s".formatted(mountInfo, e.getMessage()));
    }
  }

  /**
   * Where the directory is in the file system it is mounted from; the kernel keeps that current.
   */
  private static Optional<String> root(Path mountInfo, Path directory) throws IOException {
    String root = null;
    int longest = -1;
    for (String line : Files.readAllLines(mountInfo)) {
      List<String> fields = SPACE.splitAsStream(line).toList();
      if (fields.size() > MOUNT_POINT && directory.startsWith(fields.get(MOUNT_POINT))) {
        int length = fields.get(MOUNT_POINT).length();
        root = length >= longest ? fields.get(ROOT) : root;
        longest = Math.max(longest, length);
      }
    }
    return Optional.ofNullable(root);
  }
}
