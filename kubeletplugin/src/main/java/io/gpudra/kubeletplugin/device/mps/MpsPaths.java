package io.gpudra.kubeletplugin.device.mps;

import java.nio.file.Path;

/**
 * Where a server meets its clients. Both places stay the same when a server is started again:
 * running containers have them mounted.
 *
 * @param pipes the directory that a client finds it by
 * @param memory what both see as {@code /dev/shm}
 */
public record MpsPaths(Path pipes, Path memory) {

  /** Where a server writes its log, and what else there is of it. */
  Path directory() {
    return pipes.resolveSibling("");
  }
}
