package io.gpudra.controller.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.util.Map.Entry;
import java.util.stream.Stream;

/** What a device plugin offers on a node, and what pods have of one that has ended. */
record DevicePlugin(Reader reader) {
  /** How the names begin of whole GPUs, of replicas of them and of MIG devices. */
  private static final ImmutableList<String> RESOURCES =
      ImmutableList.of("nvidia.com/gpu", "nvidia.com/mig-");

  private static final ImmutableSet<String> OVER = ImmutableSet.of("Succeeded", "Failed");

  static long offered(JsonNode node) {
    return resources(node.at("/status/allocatable"))
        .mapToLong(resource -> resource.getValue().asLong())
        .sum();
  }

  private static Stream<Entry<String, JsonNode>> resources(JsonNode quantities) {
    return quantities.properties().stream()
        .filter(resource -> RESOURCES.stream().anyMatch(resource.getKey()::startsWith));
  }

  /**
   * Pods that keep what they got of a device plugin that offers nothing any more; a node still
   * tells what it offered by then.
   */
  ImmutableList<String> leftBehind(JsonNode node) throws IOException {
    ImmutableList.Builder<String> pods = ImmutableList.builder();
    if (offered(node) == 0 && resources(node.at("/status/allocatable")).findAny().isPresent()) {
      String name = node.at("/metadata/name").asText();
      reader.list(
          "pods of node " + name,
          "/api/v1/pods?fieldSelector=" + Reader.escaped("spec.nodeName=" + name),
          pod -> {
            if (holds(pod)) {
              pods.add(pod.at("/metadata/namespace").asText() + "/" + name(pod));
            }
          });
    }
    return pods.build();
  }

  private static String name(JsonNode pod) {
    return pod.at("/metadata/name").asText();
  }

  private static boolean holds(JsonNode pod) {
    return !OVER.contains(pod.at("/status/phase").asText())
        && pod.at("/spec/containers").findValues("limits").stream()
            .flatMap(DevicePlugin::resources)
            .anyMatch(resource -> resource.getValue().asLong() > 0);
  }
}
