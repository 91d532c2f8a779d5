package io.gpudra.kubeletplugin.app;

import io.gpudra.kubeletplugin.device.os.MountTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The directory as the host has it. In a container it is a mount, which follows the directory of
 * the start wherever it moves. When the host has another directory in its place, runtimes do not
 * see the files of this process, and only a new container helps.
 */
record CdiMount(MountTable mounts, Path directory, Optional<String> rootAtStart) {

  /** Records the current mounts. */
  static CdiMount at(MountTable mounts, Path directory) throws IOException {
    Path absolute = directory.toAbsolutePath().normalize();
    return new CdiMount(mounts, absolute, mounts.rootOf(absolute));
  }

  /** The reason why files written here do not arrive on the host; empty when they do. */
  Optional<String> problem() {
    try {
      Optional<String> now = mounts.rootOf(directory);
      return now.equals(rootAtStart)
          ? Optional.empty()
          : Optional.of(
              "directory %s was removed or replaced on the host (it was %s, it is %s): the plugin's container must start anew"
                  .formatted(directory, rootAtStart.orElse("none"), now.orElse("none")));
    } catch (IOException e) {
      return Optional.of("cannot read %s: %s".formatted(mounts.file(), e.getMessage()));
    }
  }
}
