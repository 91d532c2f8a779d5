package io.gpudra.simulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.actor.Pod;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The containers of a pod's spec. */
final class PodContainers {
  private PodContainers() {}

  /** Init containers first. */
  static List<JsonNode> all(Pod pod) {
    List<JsonNode> containers = new ArrayList<>();
    pod.json().path("spec").path("initContainers").forEach(containers::add);
    pod.json().path("spec").path("containers").forEach(containers::add);
    return containers;
  }

  /** The pod's claim entries that the container names. */
  static Set<String> claims(JsonNode container) {
    Set<String> names = new LinkedHashSet<>();
    container.path("resources").path("claims").forEach(c -> names.add(c.path("name").asText()));
    return names;
  }
}
