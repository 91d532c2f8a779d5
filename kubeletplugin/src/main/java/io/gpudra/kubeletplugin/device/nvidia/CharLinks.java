package io.gpudra.kubeletplugin.device.nvidia;

import io.gpudra.kubeletplugin.cdi.ContainerEdits.DeviceNode;
import io.gpudra.kubeletplugin.device.os.DeviceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Links such as {@code /dev/char/195:0}, which the driver does not create. Where systemd keeps the
 * device rules of containers, many versions of runc skip devices without one, and so does systemd
 * before 240. At the next reload (of {@code systemctl daemon-reload}, of any package) a container
 * loses them.
 */
final class CharLinks {

  private static final Logger log = LoggerFactory.getLogger(CharLinks.class);

  private static final String ON_NODE =
      "nvidia-ctk system create-dev-char-symlinks --create-all on the node";

  /** The mode of the node, of which only the presence is checked: it is never opened. */
  private static final int MODE = 0400;

  private final Path dev;
  private final boolean ofNode;
  private boolean refused;

  /**
   * No link is created yet.
   *
   * @param dev the node's own, wherever the driver has its device nodes
   * @param node the node's root: elsewhere it is a container's, which runc does not read
   */
  CharLinks(Path dev, Path node) {
    this.dev = dev;
    this.ofNode = dev.startsWith(node);
  }

  /**
   * Creates the link of a device node, which need not be on the node; after a refusal, none any
   * more. In a container that does not see the links of the node it creates none, and logs this
   * once.
   */
  synchronized void require(DeviceNode node) {
    Path link = dev.resolve("char/%d:%d".formatted(node.major(), node.minor()));
    if (refused || Files.exists(link)) {
      return;
    }
    if (!ofNode) {
      passOver();
      return;
    }
    try {
      Files.createDirectories(link.resolveSibling(""));
      Files.deleteIfExists(link);
      make(link, node);
    } catch (IOException e) {
      refused = true;
      log.warn(
          "containers may lose their GPUs when systemd is reloaded reason=\"{}\""
              + " remedy=\"mount the node's /dev writable, or run {}\"",
          e.toString(),
          ON_NODE);
    }
  }

  private void passOver() {
    refused = true;
    log.info(
        "links of the node cannot be seen here; without them containers lose their GPUs when systemd"
            + " is reloaded directory={} remedy=\"if there are none, run {}\"",
        dev.resolve("char"),
        ON_NODE);
  }

  private void make(Path link, DeviceNode node) throws IOException {
    Path name = Path.of("/dev").relativize(Path.of(node.path()));
    if (isThere(dev.resolve(name), node)) {
      Files.createSymbolicLink(link, Path.of("..").resolve(name));
    } else {
      DeviceFile.make(link, MODE, node.major(), node.minor());
    }
  }

  private static boolean isThere(Path file, DeviceNode node) throws IOException {
    return Files.exists(file)
        && DeviceNumber.of(file).equals(new DeviceNumber(node.major(), node.minor()));
  }
}
