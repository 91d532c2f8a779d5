package io.gpudra.simulator.server;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;
import static io.gpudra.simulator.api.Json.texts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableSet;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Naming;
import io.gpudra.simulator.api.Problems;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.server.ObjectServer.Target;
import io.gpudra.simulator.store.Store;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The rules that metadata of all kinds obeys. */
final class Metadata {
  private static final ImmutableSet<String> SERVER_OWNED =
      ImmutableSet.of(
          "name",
          "namespace",
          "uid",
          "creationTimestamp",
          "deletionTimestamp",
          "deletionGracePeriodSeconds",
          "generation",
          "resourceVersion");
  private static final ImmutableSet<String> STANDARD_FINALIZERS =
      ImmutableSet.of("orphan", "foregroundDeletion", "kubernetes");

  private static final List<String> EMPTY_IS_ABSENT =
      List.of("labels", "annotations", "finalizers", "ownerReferences");

  private Metadata() {}

  /** Leaves out what is empty. */
  static void tidy(ObjectNode object) {
    ObjectNode meta = Json.meta(object);
    for (String name : EMPTY_IS_ABSENT) {
      if (meta.path(name).isEmpty()) {
        meta.remove(name);
      }
    }
  }

  /** Refuses a body that is about something else than the URL; fills in what it leaves out. */
  static void agree(Target target, ObjectNode body) {
    Kind kind = target.kind();
    String apiVersion = text(body, "apiVersion");
    String named = text(body, "kind");
    if (!apiVersion.isEmpty() && !apiVersion.equals(kind.resource().apiVersion())) {
      throw Refusal.badRequest(unregistered(kind.kind(), apiVersion, kind));
    }
    if (!named.isEmpty() && !named.equals(kind.kind())) {
      throw Refusal.badRequest(unregistered(named, kind.resource().apiVersion(), kind));
    }
    agreeOnNames(target.key(), Json.meta(body));
    body.put("apiVersion", kind.resource().apiVersion()).put("kind", kind.kind());
  }

  private static String unregistered(String named, String apiVersion, Kind kind) {
    String version = apiVersion.substring(apiVersion.indexOf('/') + 1);
    return "%s in version \"%s\" cannot be handled as a %s: no kind \"%s\" is registered for version \"%s\" in scheme \"pkg/runtime/scheme.go:100\""
        .formatted(named, version, kind.kind(), named, apiVersion);
  }

  private static void agreeOnNames(Store.Key key, ObjectNode meta) {
    String name = meta.path("name").asText();
    if (!key.name().isEmpty() && name.isEmpty()) {
      throw Refusal.badRequest(
          "the name of the object ("
              + key.name()
              + " based on URL) was undeterminable: name must be provided");
    }
    if (!key.name().isEmpty() && !name.isEmpty() && !name.equals(key.name())) {
      throw Refusal.badRequest(
          "the name of the object ("
              + name
              + ") does not match the name on the URL ("
              + key.name()
              + ")");
    }
    String namespace = meta.path("namespace").asText();
    if (!namespace.isEmpty() && !namespace.equals(key.namespace())) {
      throw Refusal.badRequest(
          "the namespace of the provided object does not match the namespace sent on the request");
    }
    if (!key.namespace().isEmpty()) {
      meta.put("namespace", key.namespace());
    }
  }

  /** Keeps what only the server may change. */
  static void keepServerOwned(ObjectNode next, ObjectNode old) {
    ObjectNode meta = Json.meta(next);
    ObjectNode before = Json.meta(old);
    SERVER_OWNED.forEach(name -> Json.put(meta, name, before.path(name)));
  }

  /** Counts a change of anything but metadata and status. */
  static void countGeneration(ObjectNode next, ObjectNode old) {
    if (!content(next).equals(content(old))) {
      long generation = old.path("metadata").path("generation").asLong();
      Json.meta(next).put("generation", (int) generation + 1);
    }
  }

  private static ObjectNode content(ObjectNode object) {
    ObjectNode content = Json.object();
    content.setAll(object);
    return content.remove(List.of("metadata", "status"));
  }

  static void check(ObjectNode next, Optional<ObjectNode> old, Problems problems) {
    String name = text(next, "metadata.name");
    if (name.isEmpty()) {
      problems.required("metadata.name", "name or generateName is required");
    } else {
      problems.subdomain("metadata.name", name);
    }
    at(next, "metadata.labels").properties().forEach(label -> checkLabel(label, problems));
    for (JsonNode owner : at(next, "metadata.ownerReferences")) {
      if (text(owner, "uid").isEmpty()) {
        problems.invalid("metadata.ownerReferences.uid", "", "uid must not be empty");
      }
    }
    List<String> finalizers = texts(next, "metadata.finalizers");
    for (int i = 0; i < finalizers.size(); i++) {
      String finalizer = finalizers.get(i);
      if (!STANDARD_FINALIZERS.contains(finalizer) && !Naming.isQualified(finalizer)) {
        String rule = "name is neither a standard finalizer name nor is it fully qualified";
        problems.invalid("metadata.finalizers[" + i + "]", finalizer, rule);
      }
    }
    if (old.isPresent() && !text(old.get(), "metadata.deletionTimestamp").isEmpty()) {
      finalizers.removeAll(texts(old.get(), "metadata.finalizers"));
      checkLate(finalizers, problems);
    }
  }

  private static void checkLabel(Map.Entry<String, JsonNode> label, Problems problems) {
    if (!Naming.isLabelName(label.getKey())) {
      problems.invalid("metadata.labels", label.getKey(), Naming.LABEL_NAME_RULE);
    }
    if (!Naming.isLabelValue(label.getValue().asText())) {
      problems.invalid("metadata.labels", label.getValue().asText(), Naming.LABEL_VALUE_RULE);
    }
  }

  private static void checkLate(List<String> added, Problems problems) {
    String list = "[]string{\"" + String.join("\", \"", added) + "\"}";
    // A real server looks at the metadata of an update twice, and reports twice.
    for (int times = 0; times < 2 && !added.isEmpty(); times++) {
      problems.forbidden(
          "metadata.finalizers",
          "no new finalizers can be added if the object is being deleted, found new finalizers "
              + list);
    }
  }
}
