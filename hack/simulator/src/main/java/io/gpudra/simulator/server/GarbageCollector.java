package io.gpudra.simulator.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Iterables;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.server.ObjectServer.DeleteOptions;
import io.gpudra.simulator.server.ObjectServer.Target;
import io.gpudra.simulator.server.ObjectServer.WriteOptions;
import io.gpudra.simulator.store.Store;
import io.gpudra.simulator.store.Store.Change;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Deletes objects whose owners are all gone, and completes foreground and orphan deletions.
 * Thread-safe.
 */
final class GarbageCollector {
  /** Finalizer until all blocking dependents are deleted. */
  static final String FOREGROUND = "foregroundDeletion";

  /** Finalizer until its dependents no longer reference it. */
  static final String ORPHAN = "orphan";

  private final ObjectServer server;
  // All guarded by this.
  private final Map<String, Seen> alive = new HashMap<>();
  private final SetMultimap<String, Seen> dependents = LinkedHashMultimap.create();
  private final Queue<Seen> suspects = new ArrayDeque<>();

  GarbageCollector(ObjectServer server) {
    this.server = server;
  }

  /** An object as last seen; {@code ends} is how it is being deleted, or empty. */
  private record Seen(Target target, String uid, JsonNode owners, String ends) {

    static Seen of(Kind kind, Change change, ObjectNode version) {
      List<String> finalizers = Json.texts(version, "metadata.finalizers");
      boolean deleting = !Json.text(version, "metadata.deletionTimestamp").isEmpty();
      String ends = finalizers.contains(FOREGROUND) ? FOREGROUND : ORPHAN;
      return new Seen(
          new Target(kind, change.key(), false),
          Json.text(version, "metadata.uid"),
          Json.at(version, "metadata.ownerReferences"),
          deleting && finalizers.contains(ends) ? ends : "");
    }

    List<String> ownerUids() {
      return owners.findValuesAsText("uid");
    }

    boolean blocks(String owner) {
      return Json.find(owners, "uid", owner).path("blockOwnerDeletion").asBoolean();
    }
  }

  synchronized void observe(Change change) {
    server.kinds().find(change.resource()).ifPresent(kind -> observe(kind, change));
  }

  private void observe(Kind kind, Change change) {
    if (change.before().isPresent()) {
      Seen before = Seen.of(kind, change, change.before().get().object());
      before.ownerUids().forEach(owner -> dependents.remove(owner, before));
    }
    Seen now = Seen.of(kind, change, change.now().object());
    if (change.type().equals("DELETED")) {
      alive.remove(now.uid());
      suspects.addAll(dependents.get(now.uid()));
    } else {
      alive.put(now.uid(), now);
      now.ownerUids().forEach(owner -> dependents.put(owner, now));
      if (isOrphan(now) || !now.ends().isEmpty()) {
        suspects.add(now);
      }
    }
    // The owner may be waiting for this.
    now.ownerUids().stream().map(alive::get).filter(Objects::nonNull).forEach(this::suspectEnd);
  }

  private void suspectEnd(Seen owner) {
    if (!owner.ends().isEmpty()) {
      suspects.add(owner);
    }
  }

  private boolean isOrphan(Seen seen) {
    return alive.containsKey(seen.uid())
        && !seen.owners().isEmpty()
        && seen.ownerUids().stream().noneMatch(alive::containsKey);
  }

  boolean step() {
    Optional<Seen> next = next();
    next.ifPresent(this::collect);
    return next.isPresent();
  }

  private synchronized Optional<Seen> next() {
    return Optional.ofNullable(suspects.poll());
  }

  private void collect(Seen suspect) {
    boolean orphan;
    Seen now;
    List<Seen> below;
    synchronized (this) {
      orphan = isOrphan(suspect);
      now = alive.getOrDefault(suspect.uid(), suspect);
      below = List.copyOf(dependents.get(suspect.uid()));
    }
    if (orphan) {
      delete(suspect);
    } else if (now.ends().equals(FOREGROUND)) {
      below.forEach(this::delete);
      if (below.stream().noneMatch(dependent -> dependent.blocks(now.uid()))) {
        edit(now, object -> drop(object, "finalizers", item -> item.asText().equals(FOREGROUND)));
      }
    } else if (now.ends().equals(ORPHAN)) {
      below.forEach(dependent -> edit(dependent, object -> forget(object, now.uid())));
      edit(now, object -> drop(object, "finalizers", item -> item.asText().equals(ORPHAN)));
    }
  }

  private static void forget(ObjectNode object, String owner) {
    drop(object, "ownerReferences", item -> Json.text(item, "uid").equals(owner));
  }

  private static void drop(ObjectNode object, String list, Predicate<JsonNode> doomed) {
    Iterables.removeIf(Json.meta(object).withArrayProperty(list), doomed::test);
  }

  private void edit(Seen seen, Consumer<ObjectNode> change) {
    tolerating(
        () -> {
          Store.Key key = seen.target().key();
          Optional<ObjectNode> object =
              server.get(seen.target().kind().resource(), key.namespace(), key.name());
          object.ifPresent(change);
          object.ifPresent(changed -> server.update(seen.target(), changed, WriteOptions.PLAIN));
        });
  }

  private void delete(Seen seen) {
    tolerating(
        () -> {
          DeleteOptions options = new DeleteOptions(Optional.empty(), "", seen.uid(), "", false);
          server.delete(seen.target(), options);
        });
  }

  /** Ignores concurrent deletes and updates; their change events trigger a new attempt. */
  private static void tolerating(Runnable write) {
    try {
      write.run();
    } catch (ApiError e) {
      if (e.code() != 404 && e.code() != 409) {
        throw e;
      }
    }
  }
}
