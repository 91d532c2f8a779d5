package io.gpudra.simulator.server;

import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableSet;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.server.ObjectServer.DeleteOptions;
import io.gpudra.simulator.server.ObjectServer.Target;
import io.gpudra.simulator.store.Store;
import io.gpudra.simulator.store.Stored;
import java.util.List;

/**
 * The subresource {@code pods/eviction}: deletes a pod unless its disruption budget forbids it.
 * Budgets are met by {@code matchLabels}; who counts healthy pods writes their status.
 */
record Eviction(ObjectServer server, Identity identity) {
  private static final ImmutableSet<String> NEVER_RAN =
      ImmutableSet.of("Pending", "Succeeded", "Failed");
  private static final int RETRY_SECONDS = 10;

  void evict(Kind pods, Store.Key key, DeleteOptions options) {
    Target target = new Target(pods, key, false);
    Stored pod = server.store().get(pods.resource(), key).orElseThrow(target::notFound);
    boolean ending = pod.object().at("/metadata/deletionTimestamp").isTextual();
    if (!ending && !NEVER_RAN.contains(text(pod.object(), "status.phase"))) {
      take(pod.object());
    }
    server.delete(target, options);
  }

  private void take(JsonNode pod) {
    List<ObjectNode> budgets =
        server.list(Resource.BUDGETS).stream().filter(one -> covers(one, pod)).toList();
    if (budgets.size() > 1) {
      throw Refusal.of(
          500,
          "",
          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not"
              + " support.");
    }
    budgets.forEach(budget -> take(budget, text(pod, "metadata.name")));
  }

  private static boolean covers(JsonNode budget, JsonNode pod) {
    return text(budget, "metadata.namespace").equals(text(pod, "metadata.namespace"))
        && budget.at("/spec/selector").isObject()
        && budget.at("/spec/selector/matchLabels").properties().stream()
            .allMatch(
                label -> label.getValue().equals(pod.at("/metadata/labels").path(label.getKey())));
  }

  private void take(ObjectNode budget, String pod) {
    String name = text(budget, "metadata.name");
    ObjectNode status = budget.withObjectProperty("status");
    if (status.path("observedGeneration").asLong() < budget.at("/metadata/generation").asLong()) {
      String why = "The disruption budget %s is still being processed by the server.";
      ApiError refusal = refusal(why.formatted(name));
      ((ObjectNode) refusal.status().path("details")).put("retryAfterSeconds", RETRY_SECONDS);
      throw refusal;
    }
    int allowed = status.path("disruptionsAllowed").asInt();
    if (allowed == 0) {
      throw refusal(
          "The disruption budget %s needs %d healthy pods and has %d currently"
              .formatted(
                  name,
                  status.path("desiredHealthy").asInt(),
                  status.path("currentHealthy").asInt()));
    }
    status.put("disruptionsAllowed", allowed - 1);
    status.withObjectProperty("disruptedPods").put(pod, identity.now());
    server.updateStatus(Resource.BUDGETS, budget);
  }

  private static ApiError refusal(String why) {
    ObjectNode details = Json.object();
    details
        .withArrayProperty("causes")
        .add(Json.object("reason", "DisruptionBudget", "message", why));
    return Refusal.of(
        429,
        "TooManyRequests",
        "Cannot evict pod as it would violate the pod's disruption budget.",
        details);
  }
}
