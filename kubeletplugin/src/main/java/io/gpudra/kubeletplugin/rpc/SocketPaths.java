package io.gpudra.kubeletplugin.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;

/**
 * The sockets of a driver.
 *
 * @param dra must have the same path for the kubelet
 */
public record SocketPaths(String driverName, Path dra, Path registration) {

  /** The limit for the address of a Unix socket, less the terminating zero. */
  private static final int MAX_BYTES = 107;

  /**
   * The customary places below the kubelet's directory.
   *
   * @throws IllegalArgumentException when a path is too long for a socket
   */
  public static SocketPaths below(Path kubeletDir, String driverName) {
    Path root = kubeletDir.toAbsolutePath().normalize();
    return new SocketPaths(
        driverName,
        fitting(root.resolve("plugins").resolve(driverName).resolve("plugin.sock")),
        fitting(root.resolve("plugins_registry").resolve(driverName + "-reg.sock")));
  }

  private static Path fitting(Path socket) {
    int bytes = socket.toString().getBytes(UTF_8).length;
    if (bytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "socket path %s has %d bytes, at most %d are possible: use a shorter --kubelet-dir"
              .formatted(socket, bytes, MAX_BYTES));
    }
    return socket;
  }
}
