package io.gpudra.scenarios.script;

import com.google.common.collect.ImmutableList;
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

  /** A GPU as a container sees it; {@code model} is empty when no inventory lists its UUID. */
  public record Device(String name, String uuid, String model) {}

  /**
   * A running container.
   *
   * @param node what the driver says the node is; empty without a claim
   */
  public record Container(String node, ImmutableList<Device> gpus) {
    private static final Pattern NAME = Pattern.compile("GPU_DEVICE_[0-9]+");

    /** Reads the driver's variables (api.md 6.3). */
    public static Container of(Map<String, String> environment, Map<String, String> modelByUuid) {
      List<Device> gpus = new ArrayList<>();
      environment.forEach(
          (key, value) -> {
            Matcher name = NAME.matcher(key);
            if (name.matches()) {
              String uuid = environment.getOrDefault(key + "_UUID", "");
              gpus.add(new Device(value, uuid, modelByUuid.getOrDefault(uuid, "")));
            }
          });
      gpus.sort((a, b) -> a.name().compareTo(b.name()));
      return new Container(
          environment.getOrDefault("GPU_NODE_NAME", ""), ImmutableList.copyOf(gpus));
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
