package io.gpudra.simulator.server;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.server.ObjectServer.DeleteOptions;
import io.gpudra.simulator.server.ObjectServer.Target;
import io.gpudra.simulator.store.Store.Change;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;

/** Deletes in the background what has owners and none of them lives. Thread-safe. */
final class GarbageCollector {
  private final ObjectServer server;
  // All guarded by this.
  private final Set<String> alive = new HashSet<>();
  private final Map<String, Map<String, Dependent>> dependents = new HashMap<>();
  private final Queue<Dependent> suspects = new ArrayDeque<>();

  GarbageCollector(ObjectServer server) {
    this.server = server;
  }

  /** An object with owners, as last seen. */
  private record Dependent(Target target, String uid, List<String> owners) {}

  synchronized void observe(Change change) {
    String uid = Json.text(change.now().object(), "metadata.uid");
    change.before().ifPresent(before -> forget(uid, owners(before.object())));
    if (change.type().equals("DELETED")) {
      alive.remove(uid);
      suspects.addAll(dependents.getOrDefault(uid, Map.of()).values());
      return;
    }
    alive.add(uid);
    List<String> owners = owners(change.now().object());
    Optional<Kind> kind = server.kinds().find(change.resource());
    if (owners.isEmpty() || kind.isEmpty()) {
      return;
    }
    Dependent dependent = new Dependent(new Target(kind.get(), change.key(), false), uid, owners);
    for (String owner : owners) {
      dependents.computeIfAbsent(owner, any -> new LinkedHashMap<>()).put(uid, dependent);
    }
    if (owners.stream().noneMatch(alive::contains)) {
      suspects.add(dependent);
    }
  }

  private void forget(String uid, List<String> owners) {
    for (String owner : owners) {
      Map<String, Dependent> of = dependents.getOrDefault(owner, Map.of());
      if (of.containsKey(uid)) {
        of.remove(uid);
      }
      if (of.isEmpty()) {
        dependents.remove(owner);
      }
    }
  }

  private static List<String> owners(JsonNode object) {
    List<String> uids = new ArrayList<>();
    Json.at(object, "metadata.ownerReferences").forEach(owner -> uids.add(Json.text(owner, "uid")));
    return uids;
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
      if (dependent.owners().stream().anyMatch(alive::contains)
          || !alive.contains(dependent.uid())) {
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
