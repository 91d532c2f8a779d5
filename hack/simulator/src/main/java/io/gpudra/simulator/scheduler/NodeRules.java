package io.gpudra.simulator.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.actor.NodeSelectors;
import java.util.Map;
import java.util.Optional;

/** Whether a node takes a pod at all, claims aside. */
final class NodeRules {
  private NodeRules() {}

  /** The text of kube-scheduler for the first rule that refuses. */
  static Optional<String> refusal(JsonNode pod, JsonNode node) {
    if (node.path("spec").path("unschedulable").asBoolean()) {
      return Optional.of("node(s) were unschedulable");
    }
    if (!ready(node)) {
      return Optional.of("node(s) had untolerated taint {node.kubernetes.io/not-ready: }");
    }
    for (JsonNode taint : node.path("spec").path("taints")) {
      if (!taint.path("effect").asText().equals("PreferNoSchedule") && !tolerated(pod, taint)) {
        String key = taint.path("key").asText();
        String value = taint.path("value").asText();
        return Optional.of("node(s) had untolerated taint {%s: %s}".formatted(key, value));
      }
    }
    return selects(pod, node)
        ? Optional.empty()
        : Optional.of("node(s) didn't match Pod's node affinity/selector");
  }

  private static boolean ready(JsonNode node) {
    for (JsonNode condition : node.path("status").path("conditions")) {
      if (condition.path("type").asText().equals("Ready")) {
        return condition.path("status").asText().equals("True");
      }
    }
    return false;
  }

  private static boolean tolerated(JsonNode pod, JsonNode taint) {
    for (JsonNode toleration : pod.path("spec").path("tolerations")) {
      boolean effect = matchesIfSet(toleration, taint, "effect");
      boolean key = matchesIfSet(toleration, taint, "key");
      boolean exists = toleration.path("operator").asText().equals("Exists");
      boolean value =
          toleration.path("value").asText().equals(taint.path("value").asText())
              && toleration.hasNonNull("key");
      if (effect && key && (exists || value)) {
        return true;
      }
    }
    return false;
  }

  private static boolean matchesIfSet(JsonNode toleration, JsonNode taint, String field) {
    String wanted = toleration.path(field).asText();
    return wanted.isEmpty() || wanted.equals(taint.path(field).asText());
  }

  private static boolean selects(JsonNode pod, JsonNode node) {
    JsonNode labels = node.path("metadata").path("labels");
    for (Map.Entry<String, JsonNode> wanted : pod.path("spec").path("nodeSelector").properties()) {
      if (!labels.path(wanted.getKey()).asText().equals(wanted.getValue().asText())) {
        return false;
      }
    }
    JsonNode affinity = pod.path("spec").path("affinity").path("nodeAffinity");
    return NodeSelectors.matches(
        affinity.path("requiredDuringSchedulingIgnoredDuringExecution"), node);
  }
}
