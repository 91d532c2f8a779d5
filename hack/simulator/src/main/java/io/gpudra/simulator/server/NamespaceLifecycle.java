package io.gpudra.simulator.server;

import static io.gpudra.simulator.api.Json.text;

import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.server.ObjectServer.DeleteOptions;
import io.gpudra.simulator.server.ObjectServer.Target;
import io.gpudra.simulator.store.Store;
import io.gpudra.simulator.store.Store.Change;
import io.gpudra.simulator.store.Stored;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** Empties namespaces that are being deleted, then lets them go. Thread-safe. */
final class NamespaceLifecycle {
  private final ObjectServer server;
  // Both guarded by this.
  private final Set<String> terminating = new HashSet<>();
  private final Set<String> queue = new LinkedHashSet<>();

  NamespaceLifecycle(ObjectServer server) {
    this.server = server;
  }

  synchronized void observe(Change change) {
    if (change.resource().equals(Resource.NAMESPACES)) {
      String name = change.key().name();
      boolean ending = !text(change.now().object(), "metadata.deletionTimestamp").isEmpty();
      if (change.type().equals("DELETED")) {
        terminating.remove(name);
      } else if (ending && terminating.add(name)) {
        queue.add(name);
      }
    } else if (terminating.contains(change.key().namespace())) {
      queue.add(change.key().namespace());
    }
  }

  boolean step() {
    Optional<String> next = next();
    next.ifPresent(this::empty);
    return next.isPresent();
  }

  private synchronized Optional<String> next() {
    Optional<String> next = queue.stream().findFirst();
    next.ifPresent(queue::remove);
    return next;
  }

  private void empty(String namespace) {
    boolean isEmpty = true;
    for (Kind kind : server.kinds().all()) {
      if (kind.traits().namespaced()) {
        for (Stored object : server.store().list(kind.resource(), namespace)) {
          isEmpty &= delete(kind, object);
        }
      }
    }
    if (isEmpty) {
      server.finalizeNamespace(new Store.Key("", namespace));
    }
  }

  /** Whether the object is gone. One that stays brings its namespace back here when it goes. */
  private boolean delete(Kind kind, Stored object) {
    Target target = new Target(kind, Store.Key.of(object.object()), false);
    try {
      return server.delete(target, DeleteOptions.grace(Optional.empty())).gone();
    } catch (ApiError e) {
      if (e.code() == 404) {
        return true;
      }
      throw e;
    }
  }
}
