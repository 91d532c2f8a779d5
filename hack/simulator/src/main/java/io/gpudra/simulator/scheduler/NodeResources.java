package io.gpudra.simulator.scheduler;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.base.CharMatcher;
import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.actor.Mirror;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Json;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;

/**
 * The processors and memory that pods leave of a node. Containers are counted, init containers and
 * overhead are not.
 *
 * @param pods of the cluster
 */
record NodeResources(Mirror pods) {
  private static final ImmutableMap<String, BigDecimal> UNITS =
      ImmutableMap.<String, BigDecimal>builder()
          .put("m", new BigDecimal("0.001"))
          .put("", BigDecimal.ONE)
          .put("k", BigDecimal.TEN.pow(3))
          .put("M", BigDecimal.TEN.pow(6))
          .put("G", BigDecimal.TEN.pow(9))
          .put("Ki", BigDecimal.valueOf(1L << 10))
          .put("Mi", BigDecimal.valueOf(1L << 20))
          .put("Gi", BigDecimal.valueOf(1L << 30))
          .buildOrThrow();

  private static final CharMatcher DIGITS = CharMatcher.inRange('0', '9').or(CharMatcher.is('.'));

  /** The text of kube-scheduler for the first resource of which the node has too little left. */
  Optional<String> refusal(JsonNode pod, JsonNode node) {
    return requests(pod).entrySet().stream()
        .filter(wanted -> wanted.getValue().compareTo(left(node, wanted.getKey())) > 0)
        .map(wanted -> "Insufficient " + wanted.getKey())
        .findFirst();
  }

  private BigDecimal left(JsonNode node, String resource) {
    String name = Json.text(node, "metadata.name");
    BigDecimal used =
        pods.all().stream()
            .map(Pod::new)
            .filter(pod -> pod.node().equals(name) && !pod.terminal())
            .map(pod -> requests(pod.json()).getOrDefault(resource, BigDecimal.ZERO))
            .reduce(BigDecimal.ZERO, BigDecimal::add);
    return amount(Json.at(node, "status.allocatable").path(resource)).subtract(used);
  }

  private static ImmutableMap<String, BigDecimal> requests(JsonNode pod) {
    return Json.at(pod, "spec.containers").findValues("requests").stream()
        .flatMap(requests -> requests.properties().stream())
        .collect(
            toImmutableMap(
                Map.Entry::getKey, request -> amount(request.getValue()), BigDecimal::add));
  }

  private static BigDecimal amount(JsonNode quantity) {
    String text = quantity.asText("0");
    String number = DIGITS.retainFrom(text);
    return new BigDecimal(number)
        .multiply(requireNonNull(UNITS.get(text.substring(number.length()))));
  }
}
