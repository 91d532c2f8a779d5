package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.primitives.Ints;
import io.gpudra.crds.model.node.AttributeValues;
import io.gpudra.crds.model.node.DeviceAttribute;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The place of a GPU on the board, according to the kernel (nvidia.md 7).
 *
 * @param sys {@code /sys}
 */
public record PciTree(Path sys) {

  private static final String ROOT = "pci";
  private static final String NVIDIA = "0x10de";
  private static final String DISPLAY = "0x03";

  /** The kernel module of NVIDIA's driver. */
  private static final String DRIVER = "nvidia";

  /** The prefix of device nodes that can set the mode of a screen. */
  static final String CARD = "card";

  private static final Pattern DRM = Pattern.compile(CARD + "\\d+|renderD\\d+");

  private Path device(String busId) {
    return sys.resolve("bus/pci/devices").resolve(busId);
  }

  /** Whether it is known that there is no GPU that the driver has or may still take. */
  public boolean lacksGpus() {
    return Files.isReadable(sys.resolve("bus/pci/devices")) && gpus().isEmpty();
  }

  /**
   * Addresses of all GPUs of NVIDIA that the driver has or may still take; empty when unknown. A
   * GPU of another driver, such as vfio-pci, is not included.
   */
  ImmutableSet<String> gpus() {
    try (Stream<Path> all = Files.list(sys.resolve("bus/pci/devices"))) {
      return all.filter(PciTree::isGpu)
          .filter(PciTree::isFree)
          .map(device -> device.getFileName().toString())
          .collect(toImmutableSet());
    } catch (IOException | UncheckedIOException e) {
      return ImmutableSet.of();
    }
  }

  private static boolean isGpu(Path device) {
    try {
      return Files.readString(device.resolve("vendor")).strip().equals(NVIDIA)
          && Files.readString(device.resolve("class")).startsWith(DISPLAY);
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isFree(Path device) {
    try {
      return Files.readSymbolicLink(device.resolve("driver")).endsWith(DRIVER);
    } catch (IOException e) {
      // No driver has taken it yet.
      return true;
    }
  }

  /** Its device nodes for graphics, such as {@code renderD128}; empty when unknown. */
  ImmutableList<String> graphics(String busId) {
    try (Stream<Path> all = Files.list(device(busId).resolve("drm"))) {
      return all.map(node -> node.getFileName().toString())
          .filter(name -> DRM.matcher(name).matches())
          .sorted()
          .collect(toImmutableList());
    } catch (IOException | UncheckedIOException e) {
      return ImmutableList.of();
    }
  }

  /** The root, such as {@code pci0000:00}; empty when unknown. */
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

  /** The NUMA node; -1 when unknown. */
  int numaNode(String busId) {
    return Optional.ofNullable(Ints.tryParse(text(busId, "numa_node"))).orElse(-1);
  }

  /** The reported attributes, numbers without {@code 0x}. */
  AttributeValues attributes(String busId) {
    return AttributeValues.parse(
        Maps.transformValues(
            DeviceAttribute.pciFiles(), file -> text(busId, file).replaceFirst("^0x", "")));
  }

  /** The content of a GPU's file in {@code sys}; empty when unknown. */
  private String text(String busId, String file) {
    try {
      return Files.readString(device(busId).resolve(file)).strip();
    } catch (IOException e) {
      return "";
    }
  }
}
