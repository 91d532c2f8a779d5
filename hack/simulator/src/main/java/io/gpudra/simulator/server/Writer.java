package io.gpudra.simulator.server;

import static io.gpudra.simulator.api.Json.at;
import static io.gpudra.simulator.api.Json.text;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Problems;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.apply.Managers;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.kinds.Rules;
import io.gpudra.simulator.schema.Pruning;
import io.gpudra.simulator.schema.Shape;
import io.gpudra.simulator.server.ObjectServer.Outcome;
import io.gpudra.simulator.server.ObjectServer.Target;
import io.gpudra.simulator.server.ObjectServer.WriteOptions;
import io.gpudra.simulator.store.Store;
import io.gpudra.simulator.store.Stored;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Creates and updates objects: computes without a lock, commits if the object is unchanged. */
record Writer(Store store, Identity identity) {
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
    Metadata.tidy(body);
    identity.stamp(body, name);
    if (kind.traits().generation()) {
      Json.meta(body).put("generation", 1);
    }
    if (kind.traits().status() && !kind.kind().equals("Node")) {
      body.remove("status");
    }
    kind.rules().prepareCreate(body);
    refuse(kind, new Rules.Write(body, Optional.empty(), false));
    track(target, Json.object(), body, options);
    return new Outcome(commitNew(kind, body, options), true, warnings);
  }

  private ObjectNode commitNew(Kind kind, ObjectNode body, WriteOptions options) {
    Store.Key key = Store.Key.of(body);
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
            .get(Resource.NAMESPACES, new Store.Key("", namespace))
            .orElseThrow(() -> Refusal.notFound(Resource.NAMESPACES, namespace));
    if (!text(home.object(), "metadata.deletionTimestamp").isEmpty()) {
      throw Refusal.terminating(kind.resource(), name, namespace);
    }
  }

  /** PUT. */
  Outcome put(Target target, ObjectNode body, WriteOptions options) {
    Kind kind = target.kind();
    Metadata.agree(target, body);
    String uid = text(body, "metadata.uid");
    boolean missing = store.get(kind.resource(), target.key()).isEmpty();
    if (missing && !uid.isEmpty()) {
      throw target.otherUid(uid, "");
    }
    if (missing && kind.traits().putCreates() && !target.status()) {
      Json.meta(body).remove("resourceVersion");
      return create(target, body, options);
    }
    String revision = text(body, "metadata.resourceVersion");
    if (kind.traits().putNeedsRevision() && (revision.isEmpty() || revision.equals("0"))) {
      throw target.withoutRevision();
    }
    List<String> warnings = unknownFields(kind, body, options);
    return replace(
        target,
        old -> {
          String live = text(old, "metadata.uid");
          if (!uid.isEmpty() && !uid.equals(live)) {
            throw target.otherUid(uid, live);
          }
          return body.deepCopy();
        },
        options,
        warnings);
  }

  /**
   * Reads, changes, validates and commits; retries if the object was changed meanwhile. The change
   * gets its own copy; a resourceVersion in its result makes the write conditional.
   */
  Outcome replace(
      Target target,
      UnaryOperator<ObjectNode> change,
      WriteOptions options,
      List<String> warnings) {
    Kind kind = target.kind();
    while (true) {
      Stored old = store.get(kind.resource(), target.key()).orElseThrow(target::notFound);
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
      throw target.stale();
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
    Metadata.tidy(next);
    Metadata.keepServerOwned(next, old);
    kind.rules().prepareUpdate(next, stored.copy());
    if (kind.traits().generation() && !target.status()) {
      Metadata.countGeneration(next, old);
    }
    refuse(kind, new Rules.Write(next, Optional.of(old), target.status()));
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

  private static void refuse(Kind kind, Rules.Write write) {
    Problems problems = new Problems();
    Metadata.check(write.next(), write.old(), problems);
    kind.rules().check(write, problems);
    if (!problems.isEmpty()) {
      String name = text(write.next(), "metadata.name");
      throw Refusal.invalid(kind.checkedAs(), kind.kind(), name, problems);
    }
  }

  /** Drops unknown fields of a body, which may also be unreadable. */
  static List<String> unknownFields(Kind kind, ObjectNode body, WriteOptions options) {
    Optional<String> unreadable = kind.rules().undecodable(body);
    if (unreadable.isPresent()) {
      throw unreadable(kind, unreadable.get());
    }
    if (!kind.isCustom()) {
      Shape.mismatch("", body, kind.schema())
          .ifPresent(
              why -> {
                throw unreadable(kind, why);
              });
    }
    List<String> warnings = prune(kind, body);
    if (options.strict() && !warnings.isEmpty()) {
      throw unreadable(kind, "strict decoding error: " + String.join(", ", warnings));
    }
    return warnings;
  }

  /** Drops unknown fields and says which. */
  static List<String> prune(Kind kind, ObjectNode body) {
    return Pruning.prune(body, kind.schema()).stream()
        .map("unknown field \"%s\""::formatted)
        .toList();
  }

  private static ApiError unreadable(Kind kind, String why) {
    String text = "%s in version \"%s\" cannot be handled as a %s: %s";
    String version = kind.resource().version();
    return Refusal.badRequest(text.formatted(kind.kind(), version, kind.kind(), why));
  }

  /** Whether a deleted object has nothing left that holds it. */
  static boolean isGone(ObjectNode object) {
    return !text(object, "metadata.deletionTimestamp").isEmpty()
        && at(object, "metadata.finalizers").isEmpty()
        && at(object, "metadata.deletionGracePeriodSeconds").asInt() == 0
        && (!text(object, "kind").equals("Namespace") || at(object, "spec.finalizers").isEmpty());
  }
}
