package io.gpudra.simulator.actor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.api.WatchEvent;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A cache of the objects of one resource, which are shared and read only. Listeners receive
 * existing objects and every change, on the writing thread, after the cache is updated.
 */
public final class Mirror implements AutoCloseable {
  private final Map<String, ObjectNode> objects = new TreeMap<>();
  private final AutoCloseable watch;

  private Mirror(Api api, Resource resource, Consumer<WatchEvent> listener) {
    watch = api.follow(resource, event -> accept(event, listener));
  }

  public static Mirror of(Api api, Resource resource, Consumer<WatchEvent> listener) {
    return new Mirror(api, resource, listener);
  }

  private void accept(WatchEvent event, Consumer<WatchEvent> listener) {
    String key = Meta.key(event.object());
    synchronized (this) {
      if (event.type().equals("DELETED")) {
        objects.remove(key);
      } else {
        objects.put(key, event.object());
      }
    }
    listener.accept(event);
  }

  /** By {@code namespace/name}. */
  public synchronized Optional<ObjectNode> get(String key) {
    return Optional.ofNullable(objects.get(key));
  }

  /** A snapshot, ordered by namespace and name. */
  public synchronized Collection<ObjectNode> all() {
    return List.copyOf(objects.values());
  }

  @Override
  public void close() {
    ActorThread.closeQuietly(watch);
  }
}
