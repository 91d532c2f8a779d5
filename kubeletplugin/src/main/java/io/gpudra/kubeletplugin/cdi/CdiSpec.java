package io.gpudra.kubeletplugin.cdi;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.DeviceNode;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Hook;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Mount;
import java.nio.file.Path;
import java.util.Collection;

/**
 * A spec file with one device, which stands for one claim.
 *
 * @param kind vendor and class
 * @param edits the changes of the device to a container; never empty
 */
public record CdiSpec(String kind, String device, ContainerEdits edits) {

  /** The directory in which CUDA searches for a server by default. */
  private static final String MPS_PIPES = "/tmp/nvidia-mps";

  private static final JsonMapper JSON = new JsonMapper();

  /** The spec of a claim, without the variables by which its container finds an MPS server. */
  public static CdiSpec of(
      CdiNames names, String node, ClaimUid claim, Collection<InjectedDevice> devices) {
    ImmutableSortedMap.Builder<String, String> environment = ImmutableSortedMap.naturalOrder();
    environment.put("GPU_NODE_NAME", node);
    environment.put("DRA_RESOURCE_DRIVER_NAME", names.driverName());
    devices.forEach(device -> device.describe(environment::put));
    return new CdiSpec(
        names.kind(),
        names.deviceName(claim),
        ContainerEdits.environment(environment.buildOrThrow()));
  }

  /** The same spec with more changes to the container. */
  public CdiSpec with(ContainerEdits more) {
    return new CdiSpec(kind, device, edits.plus(more));
  }

  /** The same spec for a container that monitors the GPUs of others. */
  public CdiSpec forMonitor() {
    return with(ContainerEdits.environment(ImmutableMap.of("GPU_MONITOR", "true")));
  }

  /** The same spec for clients of an MPS server. */
  public CdiSpec withMps(String pipes, String memory, Collection<InjectedDevice> devices) {
    ImmutableSortedMap.Builder<String, String> more = ImmutableSortedMap.naturalOrder();
    more.put("CUDA_MPS_PIPE_DIRECTORY", MPS_PIPES);
    devices.forEach(device -> device.limitClient(more::put));
    return with(ContainerEdits.environment(more.buildOrThrow()))
        .with(
            ContainerEdits.mounts(
                ImmutableList.of(
                    Mount.writable(pipes, MPS_PIPES), Mount.writable(memory, "/dev/shm"))));
  }

  /**
   * The lowest version with all fields that the spec uses (protocol.md 5.4): a runtime refuses a
   * spec that declares a lower version than it needs, and one that declares a version newer than
   * the runtime.
   */
  String version() {
    boolean dotInClass = kind.indexOf('.', kind.indexOf('/')) >= 0;
    if (dotInClass) {
      return "0.6.0";
    }
    return Character.isDigit(device.charAt(0)) ? "0.5.0" : "0.3.0";
  }

  byte[] toJson() {
    ObjectNode root = JSON.createObjectNode();
    root.put("cdiVersion", version()).put("kind", kind);
    ObjectNode entry = root.putArray("devices").addObject();
    entry.put("name", device);
    ObjectNode written = entry.putObject("containerEdits");
    ArrayNode env = written.putArray("env");
    edits.environment().forEach((name, value) -> env.add(name + "=" + value));
    edits.deviceNodes().forEach(node -> write(node, written.withArray("deviceNodes").addObject()));
    edits.mounts().forEach(mount -> write(mount, written.withArray("mounts").addObject()));
    edits.hooks().forEach(hook -> write(hook, written.withArray("hooks").addObject()));
    return (root.toPrettyString() + "\n").getBytes(UTF_8);
  }

  private static void write(DeviceNode node, ObjectNode entry) {
    entry.put("path", node.path()).put("type", "c");
    entry.put("major", node.major()).put("minor", node.minor());
    entry.put("fileMode", node.fileMode()).put("permissions", "rw");
  }

  private static void write(Mount mount, ObjectNode entry) {
    entry.put("hostPath", mount.hostPath()).put("containerPath", mount.containerPath());
    mount.options().forEach(entry.putArray("options")::add);
  }

  /** Writes a hook; the first argument is the program's name, as usual. */
  private static void write(Hook hook, ObjectNode entry) {
    entry.put("hookName", "createContainer").put("path", hook.path());
    ArrayNode arguments = entry.putArray("args");
    arguments.add(String.valueOf(Path.of(hook.path()).getFileName()));
    hook.arguments().forEach(arguments::add);
  }
}
