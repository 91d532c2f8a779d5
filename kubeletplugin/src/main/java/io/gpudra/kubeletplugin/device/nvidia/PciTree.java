package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.primitives.Ints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a GPU is on the board, as the kernel tells (nvidia.md 7).
 *
 * @param sys {@code /sys}
 */
record PciTree(Path sys) {

  private static final String ROOT = "pci";

  private Path device(String busId) {
    return sys.resolve("bus/pci/devices").resolve(busId);
  }

  /** Such as {@code pci0000:00}; empty when unknown. */
  String root(String busId) {
    try {
      for (Path part : device(busId).toRealPath()) {
        if (part.toString().startsWith(ROOT) && part.toString().contains(":")) {
          return part.toString();
        }
      }
      return "";
    } catch (IOException e) {
      return "";
    }
  }

  /** -1 when unknown. */
  int numaNode(String busId) {
    try {
      String text = Files.readString(device(busId).resolve("numa_node")).strip();
      return Optional.ofNullable(Ints.tryParse(text)).orElse(-1);
    } catch (IOException e) {
      return -1;
    }
  }
}
