package io.gpudra.scenarios.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Records the changes of {@code kubectl apply -n NAMESPACE -f} and undoes them: existing objects
 * are restored, new ones are deleted.
 */
final class Changes {
  private final ClusterClient cluster;
  private final Kubernetes kubernetes;
  private final String namespace;

  /** By path; the value undoes the change of an object that was there before. */
  private final Map<String, Optional<ObjectNode>> made = new LinkedHashMap<>();

  private final Map<String, Integer> replicas = new HashMap<>();

  Changes(ClusterClient cluster, Kubernetes kubernetes, String namespace) {
    this.cluster = cluster;
    this.kubernetes = kubernetes;
    this.namespace = namespace;
  }

  /** Sets the namespace of the object and returns its path. */
  String place(ObjectNode object) throws IOException, InterruptedException {
    if (object.at("/metadata/namespace").isMissingNode() && cluster.isNamespaced(object)) {
      object.withObject("/metadata").put("namespace", namespace);
    }
    return cluster.pathOf(object);
  }

  /** Creates or updates the object. */
  void apply(ObjectNode object) throws IOException, InterruptedException {
    if (madeHere(object)) {
      applyPods(new Replicas(object));
      return;
    }
    String path = place(object);
    Optional<JsonNode> before = cluster.find(path);
    if (before.isEmpty()) {
      cluster.create(object);
      made.put(path, Optional.empty());
    } else {
      made.putIfAbsent(path, Optional.of(back(before.get(), object)));
      cluster.patch(path, object);
    }
  }

  private boolean madeHere(ObjectNode object) {
    return Replicas.are(object) && kubernetes == Kubernetes.WITHOUT_WORKLOADS;
  }

  private void applyPods(Replicas wanted) throws IOException, InterruptedException {
    int before = replicas.getOrDefault(wanted.name(), 0);
    for (int i = before; i < wanted.number(); i++) {
      apply(wanted.pod(i));
    }
    for (int i = wanted.number(); i < before; i++) {
      undo(place(wanted.pod(i)));
    }
    replicas.put(wanted.name(), wanted.number());
  }

  /** Undoes the changes of the objects; returns the paths of those being deleted. */
  ImmutableList<String> undo(List<ObjectNode> objects) throws IOException, InterruptedException {
    ImmutableList.Builder<String> paths = ImmutableList.builder();
    for (ObjectNode object : objects) {
      if (madeHere(object)) {
        Replicas given = new Replicas(object);
        for (int i = 0; i < replicas.getOrDefault(given.name(), 0); i++) {
          paths.add(place(given.pod(i)));
        }
        replicas.remove(given.name());
      } else {
        paths.add(place(object));
      }
    }
    return undoAll(paths.build());
  }

  /** Undoes everything. */
  ImmutableList<String> undoAll() throws IOException, InterruptedException {
    return undoAll(ImmutableList.copyOf(made.keySet()));
  }

  /** In reverse order, so that dependencies are deleted after their users, the namespace last. */
  private ImmutableList<String> undoAll(ImmutableList<String> paths)
      throws IOException, InterruptedException {
    ImmutableList.Builder<String> gone = ImmutableList.builder();
    for (String path : paths.reverse()) {
      if (undo(path)) {
        gone.add(path);
      }
    }
    return gone.build();
  }

  /** Whether this deletes the object. */
  private boolean undo(String path) throws IOException, InterruptedException {
    Optional<ObjectNode> back = made.getOrDefault(path, Optional.empty());
    made.remove(path);
    if (back.isPresent()) {
      cluster.patch(path, back.get());
    } else {
      cluster.delete(path);
    }
    return back.isEmpty();
  }

  /** The merge patch that reverts the change. */
  private static ObjectNode back(JsonNode before, ObjectNode change) {
    ObjectNode back = JsonNodeFactory.instance.objectNode();
    for (Map.Entry<String, JsonNode> field : change.properties()) {
      JsonNode was = before.path(field.getKey());
      if (field.getValue() instanceof ObjectNode inner && was.isObject()) {
        back.set(field.getKey(), back(was, inner));
      } else {
        back.set(field.getKey(), was.isMissingNode() ? back.nullNode() : was);
      }
    }
    return back;
  }
}
