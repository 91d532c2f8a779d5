package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.DeviceNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The device nodes through which a container reaches a GPU (nvidia.md 3.1). Their numbers are read,
 * never assumed.
 *
 * @param dev the directory of the nodes
 * @param proc {@code /proc}
 * @param memory the module that has one of the nodes
 * @param links by which systemd knows the nodes
 * @param pci knows the graphics nodes of a GPU
 */
record DeviceNodes(Path dev, Path proc, UnifiedMemory memory, CharLinks links, PciTree pci) {

  private static final Logger log = LoggerFactory.getLogger(DeviceNodes.class);

  /** Every container with a GPU gets those that exist. */
  private static final ImmutableList<String> CONTROL =
      ImmutableList.of("nvidiactl", UnifiedMemory.NODE, "nvidia-uvm-tools", "nvidia-modeset");

  private static final String CAPABILITIES = "nvidia-caps";

  private static final int ALL_READ_AND_WRITE = 0666;
  private static final int ALL_READ = 0444;
  private static final int OWNER_AND_GROUP = 0660;

  /** The nodes of no particular GPU. */
  ImmutableList<DeviceNode> control() throws IOException {
    memory.require().ifPresent(log::warn);
    ImmutableList.Builder<DeviceNode> nodes = ImmutableList.builder();
    for (String name : CONTROL) {
      if (Files.exists(dev.resolve(name))) {
        nodes.add(node(name, ALL_READ_AND_WRITE));
      }
    }
    return nodes.build();
  }

  /** The node of a GPU, whole or partitioned. */
  DeviceNode gpu(int minor) throws IOException {
    return node("nvidia" + minor, ALL_READ_AND_WRITE);
  }

  /**
   * The graphics nodes of a GPU. As on the node, those that set the mode of a screen are not
   * world-accessible.
   */
  ImmutableList<DeviceNode> graphics(String busId) throws IOException {
    ImmutableList.Builder<DeviceNode> nodes = ImmutableList.builder();
    for (String name : pci.graphics(busId)) {
      String node = "dri/" + name;
      if (Files.exists(dev.resolve(node))) {
        nodes.add(node(node, name.startsWith(PciTree.CARD) ? OWNER_AND_GROUP : ALL_READ_AND_WRITE));
      }
    }
    return nodes.build();
  }

  private DeviceNode node(String name, int mode) throws IOException {
    DeviceNumber number = DeviceNumber.of(dev.resolve(name));
    return linked(new DeviceNode("/dev/" + name, number.major(), number.minor(), mode));
  }

  private DeviceNode linked(DeviceNode node) {
    links.require(node);
    return node;
  }

  /**
   * The nodes that let a container use a MIG device: one for its GPU instance and one for its
   * compute instance. They need not exist on the node.
   *
   * @param gpu minor number of the GPU
   */
  ImmutableList<DeviceNode> capabilities(int gpu, int gpuInstance, int computeInstance)
      throws IOException {
    Path file = proc.resolve("driver/nvidia-caps/mig-minors");
    String minors = Files.readString(file);
    int major = capabilityMajor();
    String instance = "gpu%d/gi%d".formatted(gpu, gpuInstance);
    return ImmutableList.of(
        capability(major, minor(file, minors, instance + "/access")),
        capability(
            major, minor(file, minors, "%s/ci%d/access".formatted(instance, computeInstance))));
  }

  private DeviceNode capability(int major, int minor) {
    String path = "/dev/%s/nvidia-cap%d".formatted(CAPABILITIES, minor);
    return linked(new DeviceNode(path, major, minor, ALL_READ));
  }

  /**
   * The number in lines like {@code gpu0/gi1/access 12}. There are thousands of lines, read for
   * each MIG device, so the text is not split.
   */
  private static int minor(Path file, String lines, String name) throws IOException {
    int begin = lines.indexOf(name + " ");
    int end = lines.indexOf('\n', begin);
    return number(
        file,
        name,
        begin < 0 || end < 0
            ? Stream.empty()
            : Stream.of(lines.substring(begin + name.length(), end)));
  }

  /** The number in lines like {@code 235 nvidia-caps}. */
  private int capabilityMajor() throws IOException {
    Path file = proc.resolve("devices");
    return number(
        file,
        CAPABILITIES,
        Files.readAllLines(file).stream()
            .filter(line -> line.endsWith(" " + CAPABILITIES))
            .map(line -> line.substring(0, line.length() - CAPABILITIES.length())));
  }

  private static int number(Path file, String name, Stream<String> found) throws IOException {
    return found
        .map(text -> Ints.tryParse(text.trim()))
        .filter(Objects::nonNull)
        .findFirst()
        .orElseThrow(() -> new IOException("%s has no %s".formatted(file, name)));
  }
}
