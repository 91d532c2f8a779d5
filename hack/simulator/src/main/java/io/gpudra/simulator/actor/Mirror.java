package io.gpudra.simulator.actor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.api.WatchEvent;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The objects of one resource as their watch tells them; never goes back to an older state. Objects
 * handed out are shared: read only. A listener is called on the writing thread, after the mirror
 * shows the change.
 */
public final class Mirror implements AutoCloseable {
  private final Map<String, ObjectNode> objects = new TreeMap<>();
  private final Map<String, Long> deletedWhileListing = new HashMap<>();
  private final Consumer<WatchEvent> listener;
  private final AutoCloseable watch;
  private boolean listing = true;

  private Mirror(Api api, Resource resource, Consumer<WatchEvent> listener) {
    this.listener = listener;
    this.watch = api.watch(resource, this::accept);
  }

  /** Starts with what exists, each of it told to the listener as ADDED. */
  public static Mirror of(Api api, Resource resource, Consumer<WatchEvent> listener) {
    Mirror mirror = new Mirror(api, resource, listener);
    for (ObjectNode object : api.list(resource)) {
      mirror.accept(new WatchEvent("ADDED", resource, object));
    }
    mirror.listed();
    return mirror;
  }

  private synchronized void listed() {
    listing = false;
    deletedWhileListing.clear();
  }

  private void accept(WatchEvent event) {
    if (merge(event)) {
      listener.accept(event);
    }
  }

  private synchronized boolean merge(WatchEvent event) {
    String key = Meta.key(event.object());
    long version = Meta.version(event.object());
    ObjectNode known = objects.get(key);
    if ((known != null && Meta.version(known) >= version)
        || deletedWhileListing.getOrDefault(key, -1L) >= version) {
      return false;
    }
    if (!event.type().equals("DELETED")) {
      objects.put(key, event.object());
      return true;
    }
    if (listing) {
      deletedWhileListing.put(key, version);
    }
    objects.remove(key);
    return true;
  }

  public synchronized Optional<ObjectNode> get(String namespace, String name) {
    return Optional.ofNullable(objects.get(Meta.key(namespace, name)));
  }

  /** A snapshot, ordered by namespace and name. */
  public synchronized Collection<ObjectNode> all() {
    return List.copyOf(objects.values());
  }

  @Override
  public void close() {
    try {
      watch.close();
    } catch (Exception e) {
      throw new IllegalStateException("cannot close a watch", e);
    }
  }
}
