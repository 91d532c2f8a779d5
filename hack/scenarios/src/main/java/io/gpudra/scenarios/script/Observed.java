package io.gpudra.scenarios.script;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.ImmutableSortedMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Observed state of one namespace.
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
   * @param attributes of the GPU and its model in the inventory; none if it is not listed
   * @param facts further variables of the environment, by the last part of their names
   */
  public record Device(
      String name,
      String uuid,
      ImmutableSetMultimap<String, String> attributes,
      ImmutableMap<String, String> facts) {

    /** The fact that names the GPU of a part. */
    public static final String PARENT = "PARENT_UUID";

    /** The GPU that it is or is a part of. */
    String gpu() {
      return facts.getOrDefault(PARENT, uuid);
    }

    /** Everything that is said of it by the name, in capitals by the environment. */
    ImmutableSet<String> said(String name) {
      String fact = facts.get(name);
      return fact == null ? attributes.get(name) : ImmutableSet.of(fact);
    }
  }

  /**
   * A running container.
   *
   * @param node what the driver says the node is; empty without a claim
   * @param variables its environment
   */
  public record Container(
      String node, ImmutableList<Device> gpus, ImmutableMap<String, String> variables) {
    private static final Pattern NAME = Pattern.compile("GPU_DEVICE_[0-9]+(_[0-9]+){0,2}");

    /** Reads the driver's variables (api.md 6.3). */
    public static Container of(
        Map<String, String> environment, Map<String, ImmutableSetMultimap<String, String>> known) {
      List<Device> gpus = new ArrayList<>();
      environment.forEach(
          (key, value) -> {
            Matcher name = NAME.matcher(key);
            if (name.matches()) {
              gpus.add(device(key, value, environment, known));
            }
          });
      gpus.sort((a, b) -> a.name().compareTo(b.name()));
      return new Container(
          environment.getOrDefault("GPU_NODE_NAME", ""),
          ImmutableList.copyOf(gpus),
          ImmutableMap.copyOf(environment));
    }

    private static Device device(
        String key,
        String name,
        Map<String, String> environment,
        Map<String, ImmutableSetMultimap<String, String>> known) {
      String prefix = key + "_";
      ImmutableMap<String, String> facts =
          environment.entrySet().stream()
              .filter(entry -> entry.getKey().startsWith(prefix))
              .collect(
                  ImmutableMap.toImmutableMap(
                      entry -> entry.getKey().substring(prefix.length()), Map.Entry::getValue));
      String uuid = facts.getOrDefault("UUID", "");
      String gpu = facts.getOrDefault(Device.PARENT, uuid);
      return new Device(name, uuid, known.getOrDefault(gpu, ImmutableSetMultimap.of()), facts);
    }

    ImmutableSet<String> uuids() {
      return gpus.stream().map(Device::uuid).collect(ImmutableSet.toImmutableSet());
    }

    /** For people. */
    @Override
    public String toString() {
      return gpus.isEmpty() ? "no GPU" : names(gpus) + " on " + node;
    }
  }

  /** A pod; {@code phase} as in its status. */
  public record Pod(String phase, ImmutableList<Event> events) {}

  /**
   * A claim.
   *
   * @param node the only node of its allocation
   * @param gpus those its handle names; none when not allocated
   * @param reservedFor number of consumers
   */
  public record Claim(
      boolean allocated,
      Optional<String> node,
      ImmutableList<Device> gpus,
      int reservedFor,
      ImmutableList<Event> events) {

    /** Whether these are parts of its GPUs, or they themselves, and of each of them. */
    boolean isUsedBy(Container container) {
      return Observed.gpus(gpus).equals(Observed.gpus(container.gpus()))
          && node.equals(Optional.of(container.node()));
    }

    /** For people. */
    @Override
    public String toString() {
      return gpus.isEmpty() ? "no GPU" : names(gpus) + node.map(name -> " on " + name).orElse("");
    }
  }

  /** An event on a pod or claim. */
  public record Event(String reason, String message) {
    @Override
    public String toString() {
      return reason + ": " + message;
    }
  }

  private static ImmutableSet<String> gpus(List<Device> devices) {
    return devices.stream().map(Device::gpu).collect(ImmutableSet.toImmutableSet());
  }

  private static String names(List<Device> gpus) {
    return String.join("+", gpus.stream().map(Device::name).toList());
  }
}
