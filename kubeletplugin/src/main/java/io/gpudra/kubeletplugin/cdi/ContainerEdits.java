package io.gpudra.kubeletplugin.cdi;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Ordering;
import java.util.Map;

/**
 * The changes to a container that gets a device, in the words of CDI (protocol.md 5).
 *
 * @param mounts files and directories of the node that a container sees, perhaps elsewhere
 * @param hooks programs of the node that run while the container is created, in this order
 */
public record ContainerEdits(
    ImmutableSortedMap<String, String> environment,
    ImmutableSet<DeviceNode> deviceNodes,
    ImmutableSet<Mount> mounts,
    ImmutableList<Hook> hooks) {

  /** No changes. */
  public static final ContainerEdits NONE =
      new ContainerEdits(
          ImmutableSortedMap.of(), ImmutableSet.of(), ImmutableSet.of(), ImmutableList.of());

  /**
   * A character device.
   *
   * @param fileMode permissions of the node in the container
   */
  public record DeviceNode(String path, int major, int minor, int fileMode) {}

  /** A file or directory of the node in a container. */
  public record Mount(String hostPath, String containerPath, ImmutableList<String> options) {

    private static final ImmutableList<String> WRITABLE =
        ImmutableList.of("rw", "nosuid", "nodev", "bind");

    private static final ImmutableList<String> READ_ONLY =
        ImmutableList.of("ro", "nosuid", "nodev", "rbind", "rprivate");

    private static final ImmutableList<String> SOCKET =
        ImmutableList.of("nosuid", "nodev", "rbind", "rprivate", "noexec");

    /** A directory to which containers write. */
    public static Mount writable(String hostPath, String containerPath) {
      return new Mount(hostPath, containerPath, WRITABLE);
    }

    /** A file that the container cannot change. */
    public static Mount readOnly(String hostPath, String containerPath) {
      return new Mount(hostPath, containerPath, READ_ONLY);
    }

    /** A socket, under the same name. */
    public static Mount socket(String hostPath, String containerPath) {
      return new Mount(hostPath, containerPath, SOCKET);
    }
  }

  /** A program that runs before the container's own. */
  public record Hook(String path, ImmutableList<String> arguments) {}

  /** Variables alone. */
  public static ContainerEdits environment(Map<String, String> variables) {
    return new ContainerEdits(
        ImmutableSortedMap.copyOf(variables, Ordering.natural()),
        ImmutableSet.of(),
        ImmutableSet.of(),
        ImmutableList.of());
  }

  /** Device nodes alone. */
  public static ContainerEdits deviceNodes(Iterable<DeviceNode> nodes) {
    return new ContainerEdits(
        ImmutableSortedMap.of(), ImmutableSet.copyOf(nodes), ImmutableSet.of(), ImmutableList.of());
  }

  /** Mounts alone. */
  public static ContainerEdits mounts(Iterable<Mount> mounts) {
    return new ContainerEdits(
        ImmutableSortedMap.of(),
        ImmutableSet.of(),
        ImmutableSet.copyOf(mounts),
        ImmutableList.of());
  }

  /** Hooks alone. */
  public static ContainerEdits hooks(Iterable<Hook> hooks) {
    return new ContainerEdits(
        ImmutableSortedMap.of(), ImmutableSet.of(), ImmutableSet.of(), ImmutableList.copyOf(hooks));
  }

  /** Both together, each item once; if both set a variable, the other's value counts. */
  public ContainerEdits plus(ContainerEdits other) {
    ImmutableSortedMap.Builder<String, String> variables = ImmutableSortedMap.naturalOrder();
    environment.forEach(
        (name, value) -> {
          if (!other.environment.containsKey(name)) {
            variables.put(name, value);
          }
        });
    return new ContainerEdits(
        variables.putAll(other.environment).buildOrThrow(),
        ImmutableSet.<DeviceNode>builder().addAll(deviceNodes).addAll(other.deviceNodes).build(),
        ImmutableSet.<Mount>builder().addAll(mounts).addAll(other.mounts).build(),
        ImmutableSet.<Hook>builder().addAll(hooks).addAll(other.hooks).build().asList());
  }
}
