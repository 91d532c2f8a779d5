package io.gpudra.controller.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.DevicePluginResource;
import java.io.IOException;
import java.util.Map.Entry;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/** GPUs that a device plugin advertises, and pods that still hold GPUs of a removed one. */
record DevicePlugin(InstallationReader reader) {
  private static final ImmutableSet<String> OVER = ImmutableSet.of("Succeeded", "Failed");

  /**
   * The advertised GPUs: 0 for a removed device plugin that the node still lists; empty if there
   * never was one.
   */
  static OptionalLong offered(JsonNode node) {
    return resources(node.at("/status/allocatable"))
        .mapToLong(resource -> resource.getValue().asLong())
        .reduce(Long::sum);
  }

  private static Stream<Entry<String, JsonNode>> resources(JsonNode quantities) {
    return quantities.properties().stream()
        .filter(resource -> DevicePluginResource.is(resource.getKey()));
  }

  /**
   * Pods that still hold GPUs of a device plugin, by node.
   *
   * @param nodes where the device plugin no longer advertises GPUs; if empty, no pods are read
   */
  ImmutableListMultimap<String, String> leftovers(Set<String> nodes) throws IOException {
    ImmutableListMultimap.Builder<String, String> pods = ImmutableListMultimap.builder();
    if (!nodes.isEmpty()) {
      reader.list(
          "pods of a device plugin",
          "/api/v1/pods",
          pod -> {
            String node = pod.at("/spec/nodeName").asText();
            if (nodes.contains(node) && holds(pod)) {
              pods.put(node, name(pod));
            }
          });
    }
    return pods.build();
  }

  private static String name(JsonNode pod) {
    return pod.at("/metadata/namespace").asText() + "/" + pod.at("/metadata/name").asText();
  }

  private static boolean holds(JsonNode pod) {
    return !OVER.contains(pod.at("/status/phase").asText())
        && pod.at("/spec/containers").findValues("limits").stream()
            .flatMap(DevicePlugin::resources)
            .anyMatch(resource -> resource.getValue().asLong() > 0);
  }
}
