package io.gpudra.kubeletplugin.cdi;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Gpu;
import java.util.Collection;

/**
 * A spec file with one device, which stands for one claim.
 *
 * @param kind vendor and class
 * @param environment what the device adds to a container; never empty
 */
public record CdiSpec(String kind, String device, ImmutableSortedMap<String, String> environment) {

  private static final JsonMapper JSON = new JsonMapper();

  /** The spec for a claim that holds the given whole GPUs (variables: api.md 6.3). */
  public static CdiSpec forWholeGpus(
      CdiNames names, String node, ClaimUid claim, Collection<Gpu> gpus) {
    ImmutableSortedMap.Builder<String, String> environment = ImmutableSortedMap.naturalOrder();
    environment.put("GPU_NODE_NAME", node);
    environment.put("DRA_RESOURCE_DRIVER_NAME", names.driverName());
    for (Gpu gpu : gpus) {
      String prefix = "GPU_DEVICE_" + gpu.index();
      environment.put(prefix, gpu.name());
      environment.put(prefix + "_UUID", gpu.uuid());
      environment.put(prefix + "_SHARING_STRATEGY", "TimeSlicing");
      environment.put(prefix + "_TIMESLICE_INTERVAL", "Default");
    }
    return new CdiSpec(names.kind(), names.deviceName(claim), environment.buildOrThrow());
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
    var env = entry.putObject("containerEdits").putArray("env");
    environment.forEach((name, value) -> env.add(name + "=" + value));
    return (root.toPrettyString() + "\n").getBytes(UTF_8);
  }
}
