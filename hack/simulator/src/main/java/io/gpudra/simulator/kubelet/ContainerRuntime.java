package io.gpudra.simulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.kubelet.RunningContainer.Identity;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The containers of one node. Survives restarts of its kubelet. */
final class ContainerRuntime {
  /** Pods in the order they started, by UID. */
  private final Map<String, List<RunningContainer>> pods = new LinkedHashMap<>();

  private final String node;
  private final List<Path> cdiDirectories;
  private final FileSystem host;

  ContainerRuntime(String node, List<Path> cdiDirectories) {
    this.node = node;
    this.cdiDirectories = cdiDirectories;
    this.host = cdiDirectories.get(0).getFileSystem();
  }

  /** The containers of a pod's spec, init containers first. */
  static List<JsonNode> containers(Pod pod) {
    List<JsonNode> containers = new ArrayList<>();
    Json.at(pod.json(), "spec.initContainers").forEach(containers::add);
    Json.at(pod.json(), "spec.containers").forEach(containers::add);
    return containers;
  }

  /** The pod's claim entries that the container names. */
  static List<String> claims(JsonNode container) {
    return Json.at(container, "resources.claims").findValuesAsText("name");
  }

  /**
   * Starts all containers of the pod or none.
   *
   * @param devices of the pod's claim entries
   * @return the error if a container cannot be created
   */
  Optional<String> start(Pod pod, Function<String, List<String>> devices) {
    CdiSpecs specs = CdiSpecs.read(cdiDirectories);
    List<RunningContainer> created = new ArrayList<>();
    for (JsonNode container : containers(pod)) {
      List<String> names = claims(container).stream().map(devices).flatMap(List::stream).toList();
      Optional<List<JsonNode>> edits = specs.edits(names);
      Optional<String> problem =
          edits.isEmpty()
              ? Optional.of("unresolvable CDI devices " + String.join(", ", names))
              : missingFile(edits.get());
      if (problem.isPresent()) {
        return problem.map(why -> "CDI device injection failed: " + why);
      }
      created.add(create(pod, container, edits.orElseThrow()));
    }
    synchronized (this) {
      pods.put(pod.uid(), created);
    }
    return Optional.empty();
  }

  /** Device nodes without numbers, and mounts, must exist on the host. */
  private Optional<String> missingFile(List<JsonNode> edits) {
    List<String> needed = new ArrayList<>();
    for (JsonNode edit : edits) {
      for (JsonNode device : edit.path("deviceNodes")) {
        if (device.path("major").asLong() == 0) {
          needed.add(device.path("hostPath").asText(device.path("path").asText()));
        }
      }
      edit.path("mounts").forEach(mount -> needed.add(mount.path("hostPath").asText()));
    }
    return needed.stream()
        .filter(path -> !Files.exists(host.getPath(path)))
        .findFirst()
        .map("stat %s: no such file or directory"::formatted);
  }

  private RunningContainer create(Pod pod, JsonNode container, List<JsonNode> edits) {
    Map<String, String> environment = new LinkedHashMap<>();
    for (JsonNode env : container.path("env")) {
      if (env.has("value")) {
        environment.put(env.path("name").asText(), env.path("value").asText());
      }
    }
    ImmutableList.Builder<String> nodes = ImmutableList.builder();
    ImmutableList.Builder<String> mounts = ImmutableList.builder();
    for (JsonNode edit : edits) {
      for (JsonNode env : edit.path("env")) {
        int equals = env.asText().indexOf('=');
        environment.put(env.asText().substring(0, equals), env.asText().substring(equals + 1));
      }
      edit.path("deviceNodes").forEach(device -> nodes.add(device.path("path").asText()));
      for (JsonNode mount : edit.path("mounts")) {
        mounts.add(mount.path("hostPath").asText() + ":" + mount.path("containerPath").asText());
      }
    }
    String name = container.path("name").asText();
    Identity identity = new Identity(node, pod.namespace(), pod.name(), pod.uid(), name);
    return new RunningContainer(
        identity, ImmutableMap.copyOf(environment), nodes.build(), mounts.build(), true);
  }

  /** Whether the pod was started here; it may be stopped. */
  synchronized boolean knows(String podUid) {
    return pods.containsKey(podUid);
  }

  synchronized boolean running(String podUid) {
    return pods.getOrDefault(podUid, List.of()).stream().anyMatch(RunningContainer::running);
  }

  synchronized void stop(String podUid) {
    pods.computeIfPresent(
        podUid, (uid, containers) -> containers.stream().map(RunningContainer::stopped).toList());
  }

  synchronized void remove(String podUid) {
    pods.remove(podUid);
  }

  /** Kills containers of deleted pods, like a starting kubelet. */
  synchronized void keepOnly(Set<String> podUids) {
    pods.keySet().retainAll(podUids);
  }

  synchronized List<RunningContainer> containers() {
    return pods.values().stream().flatMap(List::stream).toList();
  }
}
