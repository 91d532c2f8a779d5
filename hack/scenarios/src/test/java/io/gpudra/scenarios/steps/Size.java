package io.gpudra.scenarios.steps;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Json;

/** The processors and GiB of memory that a pod requests, or that pods may use of a node. */
record Size(int processors, int gibibytes) {
  static final Size NONE = new Size(0, 0);

  private static final String CPU = "cpu";
  private static final String MEMORY = "memory";
  private static final String UNIT = "Gi";

  static Size of(Pod pod) {
    return Json.at(pod.json(), "spec.containers").findValues("requests").stream()
        .map(Size::of)
        .reduce(NONE, Size::plus);
  }

  static Size ofNode(JsonNode node) {
    return of(Json.at(node, "status.allocatable"));
  }

  private static Size of(JsonNode amounts) {
    String memory = amounts.path(MEMORY).asText("0");
    return new Size(amounts.path(CPU).asInt(), Integer.parseInt(memory.replace(UNIT, "")));
  }

  Size plus(Size other) {
    return new Size(processors + other.processors, gibibytes + other.gibibytes);
  }

  boolean isWithin(Size other) {
    return processors <= other.processors && gibibytes <= other.gibibytes;
  }

  /** As the controller is told. */
  ImmutableMap<String, Long> thousandths() {
    return ImmutableMap.of(CPU, 1_000L * processors, MEMORY, (1_000L * gibibytes) << 30);
  }
}
