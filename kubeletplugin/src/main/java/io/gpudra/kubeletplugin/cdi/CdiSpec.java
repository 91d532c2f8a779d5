package io.gpudra.kubeletplugin.cdi;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.crds.model.ClaimUid;
import java.util.Collection;

/**
 * A spec file with one device, which stands for one claim.
 *
 * @param kind vendor and class
 * @param environment what the device adds to a container; never empty
 * @param mounts directories of the node that a container sees under another name
 */
public record CdiSpec(
    String kind,
    String device,
    ImmutableSortedMap<String, String> environment,
    ImmutableList<Mount> mounts) {

  /** Where CUDA looks for a server by itself. */
  private static final String MPS_PIPES = "/tmp/nvidia-mps";

  private static final JsonMapper JSON = new JsonMapper();

  /** A directory of the node in a container, where it can be written. */
  public record Mount(String hostPath, String containerPath) {}

  /** Of a claim: what it injects, apart from what its container finds an MPS server by. */
  public static CdiSpec of(
      CdiNames names, String node, ClaimUid claim, Collection<InjectedDevice> devices) {
    ImmutableSortedMap.Builder<String, String> environment = ImmutableSortedMap.naturalOrder();
    environment.put("GPU_NODE_NAME", node);
    environment.put("DRA_RESOURCE_DRIVER_NAME", names.driverName());
    devices.forEach(device -> device.describe(environment::put));
    return new CdiSpec(
        names.kind(), names.deviceName(claim), environment.buildOrThrow(), ImmutableList.of());
  }

  /** The same for who watches GPUs that others use. */
  public CdiSpec forMonitor() {
    ImmutableSortedMap.Builder<String, String> more = ImmutableSortedMap.naturalOrder();
    more.putAll(environment).put("GPU_MONITOR", "true");
    return new CdiSpec(kind, device, more.buildOrThrow(), mounts);
  }

  /** The same for clients of an MPS server. */
  public CdiSpec withMps(String pipes, String memory, Collection<InjectedDevice> devices) {
    ImmutableSortedMap.Builder<String, String> more = ImmutableSortedMap.naturalOrder();
    more.putAll(environment);
    more.put("CUDA_MPS_PIPE_DIRECTORY", MPS_PIPES);
    devices.forEach(device -> device.limitClient(more::put));
    return new CdiSpec(
        kind,
        device,
        more.buildOrThrow(),
        ImmutableList.of(new Mount(pipes, MPS_PIPES), new Mount(memory, "/dev/shm")));
  }

  /**
   * The lowest version that allows what the spec uses (protocol.md 5.4): a runtime refuses a spec
   * that declares less than it needs, and one that declares a version newer than itself.
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
    ObjectNode edits = entry.putObject("containerEdits");
    ArrayNode env = edits.putArray("env");
    environment.forEach((name, value) -> env.add(name + "=" + value));
    mounts.forEach(mount -> write(mount, edits.withArray("mounts").addObject()));
    return (root.toPrettyString() + "\n").getBytes(UTF_8);
  }

  private static void write(Mount mount, ObjectNode entry) {
    entry.put("hostPath", mount.hostPath()).put("containerPath", mount.containerPath());
    entry.putArray("options").add("rw").add("nosuid").add("nodev").add("bind");
  }
}
