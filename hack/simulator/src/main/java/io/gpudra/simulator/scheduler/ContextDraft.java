package io.gpudra.simulator.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.util.List;
import java.util.Optional;

/** The scheduling context of one attempt: published and planned fields. */
final class ContextDraft {
  private final Pod pod;
  private final Optional<ObjectNode> published;
  // Fields of the spec to change.
  private final ObjectNode changes = Json.object();

  ContextDraft(Pod pod, Optional<ObjectNode> published) {
    this.pod = pod;
    this.published = published;
  }

  boolean exists() {
    return published.isPresent();
  }

  /** The UID of a context that belongs to an earlier pod of the name. */
  Optional<String> stale() {
    return published.filter(there -> !Meta.controlledBy(there, pod.uid())).map(Meta::uid);
  }

  /** The driver's status of a claim of the pod; missing before there is one. */
  JsonNode entry(String podClaim) {
    JsonNode context = published.orElseGet(Json::object);
    return Json.find(Json.at(context, "status.resourceClaims"), "name", podClaim);
  }

  boolean unsuitable(String podClaim, String node) {
    return Json.texts(entry(podClaim), "unsuitableNodes").contains(node);
  }

  boolean listsAll(List<String> nodes) {
    return published.isPresent()
        && Json.texts(published.get(), "spec.potentialNodes").containsAll(nodes);
  }

  String selectedNode() {
    return published.map(there -> Json.text(there, "spec.selectedNode")).orElse("");
  }

  void potentialNodes(List<String> nodes) {
    nodes.forEach(changes.putArray("potentialNodes")::add);
  }

  /** PreScore is skipped for a single candidate, which must be listed nevertheless. */
  void ensurePotential(String node) {
    if (!changes.has("potentialNodes") && !listsAll(List.of(node))) {
      potentialNodes(List.of(node));
    }
  }

  void select(String node) {
    if (!node.equals(selectedNode())) {
      changes.put("selectedNode", node);
    }
  }

  boolean dirty() {
    return !changes.isEmpty();
  }

  /** Publishes with one write; creation has both fields. */
  void publish(Api api) {
    try {
      if (published.isEmpty()) {
        api.create(Resource.CONTEXTS, changed(pod.newContext()));
      } else {
        api.update(Resource.CONTEXTS, changed(published.get().deepCopy()));
      }
    } catch (ApiError e) {
      if (e.code() != 409) {
        throw e;
      }
      // Like the apply after a conflict: our two fields overwrite concurrent changes.
      api.get(Resource.CONTEXTS, pod.namespace(), pod.name())
          .ifPresent(live -> api.update(Resource.CONTEXTS, changed(live)));
    }
    changes.removeAll();
  }

  private ObjectNode changed(ObjectNode context) {
    context.withObjectProperty("spec").setAll(changes);
    return context;
  }
}
