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

/** What a device plugin offers on a node, and what pods have of one that has ended. */
record DevicePlugin(Reader reader) {
  private static final ImmutableSet<String> OVER = ImmutableSet.of("Succeeded", "Failed");

  /** None of one that has ended, which its node still tells of; empty where there never was one. */
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
   * Pods that keep what they got of a device plugin, by node.
   *
   * @param nodes where it offers nothing any more; all pods are read where there is one
   */
  ImmutableListMultimap<String, String> leftBehind(Set<String> nodes) throws IOException {
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
