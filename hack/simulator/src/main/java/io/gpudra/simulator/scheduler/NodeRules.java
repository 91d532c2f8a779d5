package io.gpudra.simulator.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.Iterables;
import io.gpudra.simulator.actor.NodeSelectors;
import io.gpudra.simulator.api.Json;
import java.util.Optional;

/** Whether a node takes a pod at all, claims aside. */
final class NodeRules {
  private static final String AFFINITY =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";

  private NodeRules() {}

  /** The text of kube-scheduler for the first rule that refuses. */
  static Optional<String> refusal(JsonNode pod, JsonNode node) {
    if (Json.at(node, "spec.unschedulable").asBoolean()) {
      return Optional.of("node(s) were unschedulable");
    }
    JsonNode ready = Json.find(Json.at(node, "status.conditions"), "type", "Ready");
    if (!Json.text(ready, "status").equals("True")) {
      return Optional.of("node(s) had untolerated taint {node.kubernetes.io/not-ready: }");
    }
    for (JsonNode taint : Json.at(node, "spec.taints")) {
      if (!Json.text(taint, "effect").equals("PreferNoSchedule") && !tolerated(pod, taint)) {
        String shown = Json.text(taint, "key") + ": " + Json.text(taint, "value");
        return Optional.of("node(s) had untolerated taint {" + shown + "}");
      }
    }
    return selects(pod, node)
        ? Optional.empty()
        : Optional.of("node(s) didn't match Pod's node affinity/selector");
  }

  private static boolean tolerated(JsonNode pod, JsonNode taint) {
    return Iterables.any(
        Json.at(pod, "spec.tolerations"),
        toleration ->
            matchesIfSet(toleration, taint, "effect")
                && matchesIfSet(toleration, taint, "key")
                && (Json.text(toleration, "operator").equals("Exists")
                    || (toleration.hasNonNull("key")
                        && Json.text(toleration, "value").equals(Json.text(taint, "value")))));
  }

  private static boolean matchesIfSet(JsonNode toleration, JsonNode taint, String field) {
    String wanted = Json.text(toleration, field);
    return wanted.isEmpty() || wanted.equals(Json.text(taint, field));
  }

  private static boolean selects(JsonNode pod, JsonNode node) {
    JsonNode labels = Json.at(node, "metadata.labels");
    return Json.at(pod, "spec.nodeSelector").properties().stream()
            .allMatch(wanted -> wanted.getValue().equals(labels.path(wanted.getKey())))
        && NodeSelectors.matches(Json.at(pod, AFFINITY), node);
  }
}
