package io.gpudra.simulator.server;

import static io.gpudra.simulator.api.Json.text;
import static io.gpudra.simulator.api.Json.texts;

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

  private Metadata() {}

  /** Refuses a body that is about something else than the URL; fills in what it leaves out. */
  static void agree(Target target, ObjectNode body) {
    Kind kind = target.kind();
    String apiVersion = text(body, "apiVersion");
    String named = text(body, "kind");
    if (!apiVersion.isEmpty() && !apiVersion.equals(kind.resource().apiVersion())) {
      throw Refusal.badRequest(
          "the API version in the data ("
              + apiVersion
              + ") does not match the expected API version ("
              + kind.resource().apiVersion()
              + ")");
    }
    if (!named.isEmpty() && !named.equals(kind.kind())) {
      throw Refusal.badRequest(
          named
              + " in version \""
              + kind.resource().version()
              + "\" cannot be handled as a "
              + kind.kind()
              + ": expected "
              + kind.kind());
    }
    agreeOnNames(target.key(), Json.meta(body));
    body.put("apiVersion", kind.resource().apiVersion()).put("kind", kind.kind());
  }

  private static void agreeOnNames(Store.Key key, ObjectNode meta) {
    String name = meta.path("name").asText();
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
    if (!key.name().isEmpty()) {
      meta.put("name", key.name());
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
    problems.subdomain("metadata.name", text(next, "metadata.name"));
    List<String> finalizers = texts(next, "metadata.finalizers");
    for (String finalizer : finalizers) {
      if (!STANDARD_FINALIZERS.contains(finalizer) && !Naming.isQualified(finalizer)) {
        String rule = "name is neither a standard finalizer name nor is it fully qualified";
        problems.invalid("metadata.finalizers", finalizer, rule);
      }
    }
    if (old.isPresent() && !text(old.get(), "metadata.deletionTimestamp").isEmpty()) {
      finalizers.removeAll(texts(old.get(), "metadata.finalizers"));
      if (!finalizers.isEmpty()) {
        problems.forbidden(
            "metadata.finalizers",
            "no new finalizers can be added if the object is being deleted, found new finalizers"
                + (" []string{\"" + String.join("\", \"", finalizers) + "\"}"));
      }
    }
  }
}
