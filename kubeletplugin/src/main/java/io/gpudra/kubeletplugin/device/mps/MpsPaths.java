package io.gpudra.kubeletplugin.device.mps;

import java.nio.file.Path;

/**
 * The directories that a server and its clients share. They stay the same when a server is
 * restarted, since running containers have them mounted.
 *
 * @param pipes the directory by which a client finds the server
 * @param memory mounted as {@code /dev/shm} for both
 */
public record MpsPaths(Path pipes, Path memory) {

  /** The directory of the log and other files of the server. */
  Path directory() {
    return pipes.resolveSibling("");
  }
}
