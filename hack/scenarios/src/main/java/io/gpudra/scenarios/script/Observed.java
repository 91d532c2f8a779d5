package io.gpudra.scenarios.script;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What can be seen of one namespace.
 *
 * @param containers by {@code pod/container}, the running ones
 * @param pods by name
 * @param claims by name
 */
public record Observed(
    ImmutableSortedMap<String, Container> containers,
    ImmutableSortedMap<String, Pod> pods,
    ImmutableSortedMap<String, Claim> claims) {

  /** Nothing is there. */
  public static final Observed NOTHING =
      new Observed(ImmutableSortedMap.of(), ImmutableSortedMap.of(), ImmutableSortedMap.of());

  /**
   * A GPU, or a part of one, as a container sees it.
   *
   * @param model empty when no inventory lists its GPU
   * @param facts what else the environment says of it, by the last part of the variable's name
   */
  public record Device(
      String name, String uuid, String model, ImmutableMap<String, String> facts) {}

  /**
   * A running container.
   *
   * @param node what the driver says the node is; empty without a claim
   */
  public record Container(String node, ImmutableList<Device> gpus) {
    private static final Pattern NAME = Pattern.compile("GPU_DEVICE_[0-9]+(_[0-9]+){0,2}");

    /** Reads the driver's variables (api.md 6.3). */
    public static Container of(Map<String, String> environment, Map<String, String> modelByUuid) {
      List<Device> gpus = new ArrayList<>();
      environment.forEach(
          (key, value) -> {
            Matcher name = NAME.matcher(key);
            if (name.matches()) {
              gpus.add(device(key, value, environment, modelByUuid));
            }
          });
      gpus.sort((a, b) -> a.name().compareTo(b.name()));
      return new Container(
          environment.getOrDefault("GPU_NODE_NAME", ""), ImmutableList.copyOf(gpus));
    }

    private static Device device(
        String key, String name, Map<String, String> environment, Map<String, String> modelByUuid) {
      String prefix = key + "_";
      ImmutableMap<String, String> facts =
          environment.entrySet().stream()
              .filter(entry -> entry.getKey().startsWith(prefix))
              .collect(
                  ImmutableMap.toImmutableMap(
                      entry -> entry.getKey().substring(prefix.length()), Map.Entry::getValue));
      String uuid = facts.getOrDefault("UUID", "");
      String gpu = facts.getOrDefault("PARENT_UUID", uuid);
      return new Device(name, uuid, modelByUuid.getOrDefault(gpu, ""), facts);
    }

    ImmutableSet<String> uuids() {
      return gpus.stream().map(Device::uuid).collect(ImmutableSet.toImmutableSet());
    }

    /** For people. */
    @Override
    public String toString() {
      return gpus.isEmpty()
          ? "no GPU"
          : String.join("+", gpus.stream().map(Device::name).toList()) + " on " + node;
    }
  }

  /** A pod; {@code phase} as in its status. */
  public record Pod(String phase, ImmutableList<Event> events) {}

  /**
   * A claim.
   *
   * @param node the only node of its allocation
   * @param uuids the GPUs its handle names; empty when not allocated
   * @param reservedFor number of consumers
   */
  public record Claim(
      boolean allocated,
      Optional<String> node,
      ImmutableSet<String> uuids,
      int reservedFor,
      ImmutableList<Event> events) {}

  /** An event on a pod or claim. */
  public record Event(String reason, String message) {
    @Override
    public String toString() {
      return reason + ": " + message;
    }
  }
}
