package io.gpudra.simulator.server;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Problem;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.apply.Managers;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.kinds.Write;
import io.gpudra.simulator.store.Key;
import io.gpudra.simulator.store.Store;
import io.gpudra.simulator.store.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Creates and changes objects: computes outside any lock, commits if nobody was faster. */
final class Writer {
  private final Store store;
  private final Identity identity;

  Writer(Store store, Identity identity) {
    this.store = store;
    this.identity = identity;
  }

  /** POST. The body is changed. */
  Outcome create(Target target, ObjectNode body, WriteOptions options) {
    Kind kind = target.kind();
    Metadata.agree(target, body);
    if (!text(body, "metadata.resourceVersion").isEmpty()) {
      throw Refusal.internal("resourceVersion should not be set on objects to be created");
    }
    String name = text(body, "metadata.name");
    admit(kind, target.key().namespace(), name);
    List<String> warnings = unknownFields(kind, body, options);
    Json.meta(body)
        .remove(List.of("deletionTimestamp", "deletionGracePeriodSeconds", "generation"));
    if (name.isEmpty() && text(body, "metadata.generateName").isEmpty()) {
      Problem nameless = Problem.required("metadata.name", "name or generateName is required");
      throw Refusal.invalid(kind.resource(), kind.kind(), name, List.of(nameless));
    }
    identity.stamp(body, name);
    if (kind.traits().generation()) {
      Json.meta(body).put("generation", 1);
    }
    if (kind.traits().status() && !kind.kind().equals("Node")) {
      body.remove("status");
    }
    kind.rules().prepareCreate(body);
    refuse(kind, new Write(body, Optional.empty(), false));
    track(target, Json.object(), body, options);
    return new Outcome(commitNew(kind, body, options), true, warnings);
  }

  private ObjectNode commitNew(Kind kind, ObjectNode body, WriteOptions options) {
    Key key = Key.of(body);
    if (options.dryRun() && store.get(kind.resource(), key).isEmpty()) {
      return body;
    }
    Optional<Stored> stored = store.commit(kind.resource(), Optional.empty(), body);
    if (stored.isPresent()) {
      return stored.get().object();
    }
    boolean terminating =
        store
            .get(kind.resource(), key)
            .filter(there -> !text(there.object(), "metadata.deletionTimestamp").isEmpty())
            .isPresent();
    throw Refusal.alreadyExists(kind.resource(), key.name(), terminating);
  }

  /** Whether the namespace takes new objects. */
  private void admit(Kind kind, String namespace, String name) {
    if (!kind.traits().namespaced()) {
      return;
    }
    Stored home =
        store
            .get(Resource.NAMESPACES, new Key("", namespace))
            .orElseThrow(() -> Refusal.notFound(Resource.NAMESPACES, namespace));
    if (!text(home.object(), "metadata.deletionTimestamp").isEmpty()) {
      throw Refusal.terminating(kind.resource(), name, namespace);
    }
  }

  /** PUT. */
  Outcome put(Target target, ObjectNode body, WriteOptions options) {
    Kind kind = target.kind();
    Metadata.agree(target, body);
    if (kind.traits().putCreates()
        && !target.status()
        && store.get(kind.resource(), target.key()).isEmpty()) {
      return create(target, body, options);
    }
    String revision = text(body, "metadata.resourceVersion");
    if (kind.traits().putNeedsRevision() && (revision.isEmpty() || revision.equals("0"))) {
      Problem missing =
          Problem.invalid("metadata.resourceVersion", 0, "must be specified for an update");
      throw Refusal.invalid(kind.resource(), kind.kind(), target.key().name(), List.of(missing));
    }
    List<String> warnings = unknownFields(kind, body, options);
    return replace(
        target,
        old -> {
          samePut(kind, body, old);
          return body.deepCopy();
        },
        options,
        warnings);
  }

  private static void samePut(Kind kind, ObjectNode body, ObjectNode old) {
    String uid = text(body, "metadata.uid");
    String live = text(old, "metadata.uid");
    if (!uid.isEmpty() && !uid.equals(live)) {
      throw Refusal.conflict(
          kind.resource(),
          kind.resource().plural(),
          text(old, "metadata.name"),
          "Precondition failed: UID in precondition: " + uid + ", UID in object meta: " + live);
    }
  }

  /**
   * Reads, changes, checks and commits, again when somebody was faster. The change gets its own
   * copy; a resourceVersion in what it returns makes the write conditional.
   */
  Outcome replace(
      Target target,
      UnaryOperator<ObjectNode> change,
      WriteOptions options,
      List<String> warnings) {
    Kind kind = target.kind();
    while (true) {
      Stored old =
          store
              .get(kind.resource(), target.key())
              .orElseThrow(() -> Refusal.notFound(kind.resource(), target.key().name()));
      ObjectNode next = next(target, change.apply(old.copy()), old, options);
      if (next.equals(old.object()) || options.dryRun()) {
        return new Outcome(next, false, warnings);
      }
      if (isGone(next)) {
        // What a real server does: nothing is stored, the answer has the new body and the old rv.
        if (store.remove(kind.resource(), old).isPresent()) {
          return new Outcome(next, false, warnings);
        }
        continue;
      }
      Optional<Stored> stored = store.commit(kind.resource(), Optional.of(old), next);
      if (stored.isPresent()) {
        return new Outcome(stored.get().object(), false, warnings);
      }
    }
  }

  private ObjectNode next(Target target, ObjectNode wanted, Stored stored, WriteOptions options) {
    Kind kind = target.kind();
    ObjectNode old = stored.object();
    String revision = text(wanted, "metadata.resourceVersion");
    if (!revision.isEmpty()
        && !revision.equals("0")
        && !revision.equals(Long.toString(stored.revision()))) {
      throw Refusal.stale(kind.resource(), target.key().name());
    }
    ObjectNode next = Json.copy(wanted);
    if (target.status()) {
      ObjectNode onlyStatus = stored.copy();
      Json.put(onlyStatus, "status", at(next, "status"));
      Json.put(Json.meta(onlyStatus), "managedFields", at(wanted, "metadata.managedFields"));
      next = onlyStatus;
    } else if (kind.traits().status()) {
      Json.put(next, "status", at(old, "status"));
    }
    Metadata.keepServerOwned(next, old);
    kind.rules().prepareUpdate(next, stored.copy());
    if (kind.traits().generation() && !target.status()) {
      Metadata.countGeneration(next, old);
    }
    refuse(kind, new Write(next, Optional.of(old), target.status()));
    track(target, old, next, options);
    return next;
  }

  private void track(Target target, ObjectNode old, ObjectNode next, WriteOptions options) {
    if (options.owned()) {
      return;
    }
    String subresource = target.status() ? "status" : "";
    Managers.track(
        old,
        next,
        target.kind().schema(),
        new Managers.Writer(options.manager(), subresource, identity.now()));
  }

  private static void refuse(Kind kind, Write write) {
    List<Problem> problems = new ArrayList<>(Metadata.problems(write.next(), write.old()));
    problems.addAll(kind.rules().problems(write));
    if (!problems.isEmpty()) {
      String name = text(write.next(), "metadata.name");
      throw Refusal.invalid(kind.resource(), kind.kind(), name, problems);
    }
  }

  /** Drops unknown fields of a body, which may also be unreadable. */
  static List<String> unknownFields(Kind kind, ObjectNode body, WriteOptions options) {
    Optional<String> unreadable = kind.rules().undecodable(body);
    if (unreadable.isPresent()) {
      throw unreadable(kind, unreadable.get());
    }
    List<String> fields = kind.rules().prune(body);
    List<String> warnings = fields.stream().map(f -> "unknown field \"" + f + "\"").toList();
    if (options.strict() && !warnings.isEmpty()) {
      throw Refusal.badRequest(
          kind.kind()
              + " in version \""
              + kind.resource().version()
              + "\" cannot be handled as a "
              + kind.kind()
              + ": strict decoding error: "
              + String.join(", ", warnings));
    }
    return warnings;
  }

  private static ApiError unreadable(Kind kind, String why) {
    String version = kind.resource().version();
    return Refusal.badRequest(
        kind.kind()
            + " in version \""
            + version
            + "\" cannot be handled as a "
            + kind.kind()
            + ": "
            + why);
  }

  /** Whether a deleted object has nothing left that holds it. */
  static boolean isGone(ObjectNode object) {
    return !text(object, "metadata.deletionTimestamp").isEmpty()
        && at(object, "metadata.finalizers").isEmpty()
        && at(object, "metadata.deletionGracePeriodSeconds").asInt() == 0
        && (!text(object, "kind").equals("Namespace") || at(object, "spec.finalizers").isEmpty());
  }
}
