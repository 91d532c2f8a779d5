package io.gpudra.simulator.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.server.ObjectServer.DeleteOptions;
import io.gpudra.simulator.server.ObjectServer.Target;
import io.gpudra.simulator.store.Store.Change;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;

/** Deletes in the background what has owners and none of them lives. Thread-safe. */
final class GarbageCollector {
  private final ObjectServer server;
  // All guarded by this.
  private final Set<String> alive = new HashSet<>();
  private final SetMultimap<String, Dependent> dependents = LinkedHashMultimap.create();
  private final Queue<Dependent> suspects = new ArrayDeque<>();

  GarbageCollector(ObjectServer server) {
    this.server = server;
  }

  /** An object with owners, as last seen. */
  private record Dependent(Target target, String uid, List<String> owners) {

    static Dependent of(Kind kind, Change change, ObjectNode version) {
      JsonNode references = Json.at(version, "metadata.ownerReferences");
      String uid = Json.text(version, "metadata.uid");
      Target target = new Target(kind, change.key(), false);
      return new Dependent(target, uid, references.findValuesAsText("uid"));
    }
  }

  synchronized void observe(Change change) {
    server.kinds().find(change.resource()).ifPresent(kind -> observe(kind, change));
  }

  private void observe(Kind kind, Change change) {
    if (change.before().isPresent()) {
      Dependent before = Dependent.of(kind, change, change.before().get().object());
      before.owners().forEach(owner -> dependents.remove(owner, before));
    }
    Dependent now = Dependent.of(kind, change, change.now().object());
    if (change.type().equals("DELETED")) {
      alive.remove(now.uid());
      suspects.addAll(dependents.get(now.uid()));
      return;
    }
    alive.add(now.uid());
    now.owners().forEach(owner -> dependents.put(owner, now));
    if (isOrphan(now)) {
      suspects.add(now);
    }
  }

  private boolean isOrphan(Dependent dependent) {
    return alive.contains(dependent.uid())
        && !dependent.owners().isEmpty()
        && dependent.owners().stream().noneMatch(alive::contains);
  }

  boolean step() {
    Optional<Dependent> next = next();
    next.ifPresent(this::collect);
    return next.isPresent();
  }

  private synchronized Optional<Dependent> next() {
    return Optional.ofNullable(suspects.poll());
  }

  private void collect(Dependent dependent) {
    synchronized (this) {
      if (!isOrphan(dependent)) {
        return;
      }
    }
    try {
      server.delete(
          dependent.target(), new DeleteOptions(Optional.empty(), dependent.uid(), "", false));
    } catch (ApiError e) {
      // Somebody else deleted or replaced it: what was wanted has happened.
      if (e.code() != 404 && e.code() != 409) {
        throw e;
      }
    }
  }
}
