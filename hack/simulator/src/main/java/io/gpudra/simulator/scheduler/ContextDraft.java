package io.gpudra.simulator.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Resource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The scheduling context of one try: what is published, and what the try wants to publish. */
final class ContextDraft {
  private final Pod pod;
  private final @Nullable ObjectNode published;
  private @Nullable List<String> potentialNodes;
  private @Nullable String selectedNode;

  ContextDraft(Pod pod, Optional<ObjectNode> published) {
    this.pod = pod;
    this.published = published.orElse(null);
  }

  boolean exists() {
    return published != null;
  }

  /** It belongs to an earlier pod of the name. */
  boolean stale() {
    return published != null && !Meta.controlledBy(published, pod.uid());
  }

  String uid() {
    return published == null ? "" : Meta.uid(published);
  }

  /** The driver's word on a claim of the pod; empty as long as there is none. */
  Optional<JsonNode> entry(String podClaim) {
    if (published != null) {
      for (JsonNode entry : published.path("status").path("resourceClaims")) {
        if (entry.path("name").asText().equals(podClaim)) {
          return Optional.of(entry);
        }
      }
    }
    return Optional.empty();
  }

  boolean unsuitable(String podClaim, String node) {
    return entry(podClaim).map(e -> texts(e.path("unsuitableNodes")).contains(node)).orElse(false);
  }

  boolean listsAll(List<String> nodes) {
    return published != null
        && texts(published.path("spec").path("potentialNodes")).containsAll(nodes);
  }

  String selectedNode() {
    return published == null ? "" : published.path("spec").path("selectedNode").asText();
  }

  void potentialNodes(List<String> nodes) {
    potentialNodes = nodes;
  }

  /** PreScore is skipped for a single candidate, which must be listed all the same. */
  void ensurePotential(String node) {
    if (potentialNodes == null && !listsAll(List.of(node))) {
      potentialNodes = List.of(node);
    }
  }

  void select(String node) {
    if (!node.equals(selectedNode())) {
      selectedNode = node;
    }
  }

  boolean dirty() {
    return potentialNodes != null || selectedNode != null;
  }

  /** One write; the creating one carries both fields. */
  void publish(Api api) {
    try {
      write(api, published == null ? fresh() : published.deepCopy());
    } catch (ApiError e) {
      if (e.code() != 409) {
        throw e;
      }
      // As the apply after a conflict: our two fields win over whatever else has changed.
      api.get(Resource.CONTEXTS, pod.namespace(), pod.name()).ifPresent(live -> write(api, live));
    }
    potentialNodes = null;
    selectedNode = null;
  }

  private void write(Api api, ObjectNode context) {
    ObjectNode spec = context.withObject("/spec");
    if (potentialNodes != null) {
      ArrayNode names = spec.putArray("potentialNodes");
      potentialNodes.forEach(names::add);
    }
    if (selectedNode != null) {
      spec.put("selectedNode", selectedNode);
    }
    if (context.path("metadata").has("resourceVersion")) {
      api.update(Resource.CONTEXTS, context);
    } else {
      api.create(Resource.CONTEXTS, context);
    }
  }

  private ObjectNode fresh() {
    ObjectNode context = JsonNodeFactory.instance.objectNode();
    context.put("apiVersion", "resource.k8s.io/v1alpha2").put("kind", "PodSchedulingContext");
    ObjectNode metadata = context.putObject("metadata");
    metadata.put("namespace", pod.namespace()).put("name", pod.name());
    metadata
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", "v1")
        .put("kind", "Pod")
        .put("name", pod.name())
        .put("uid", pod.uid())
        .put("controller", true)
        .put("blockOwnerDeletion", true);
    return context;
  }

  private static Set<String> texts(JsonNode list) {
    Set<String> texts = new HashSet<>();
    list.forEach(text -> texts.add(text.asText()));
    return texts;
  }
}
