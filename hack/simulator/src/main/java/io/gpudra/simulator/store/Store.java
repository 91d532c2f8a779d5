package io.gpudra.simulator.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * All objects under one revision counter. A write names the version it replaces and fails when that
 * is no longer the newest, so callers compute outside any lock and try again. Thread-safe; writes
 * and their listeners are in one order.
 */
public final class Store {

  /** Where an object lives among its kind; ordered by namespace, then name. */
  public record Key(String namespace, String name) implements Comparable<Key> {

    /** The key that the object's metadata says. */
    public static Key of(ObjectNode object) {
      return new Key(Json.text(object, "metadata.namespace"), Json.text(object, "metadata.name"));
    }

    @Override
    public int compareTo(Key other) {
      int byNamespace = namespace.compareTo(other.namespace);
      return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }
  }

  /**
   * One write.
   *
   * @param type ADDED, MODIFIED or DELETED
   * @param now the new version; of a DELETED the last one, with the revision of the deletion
   * @param before the version it replaced
   */
  public record Change(
      String type, Resource resource, Key key, Stored now, Optional<Stored> before) {

    /** The revision this write made. */
    public long revision() {
      return now.revision();
    }
  }

  /**
   * A consistent part of a collection.
   *
   * @param revision the state all items are of
   * @param next where the following page starts; empty on the last one
   * @param remaining how many objects follow this page
   */
  public record Page(List<Stored> items, long revision, Optional<Key> next, int remaining) {}

  /**
   * What part of a collection is wanted.
   *
   * @param namespace empty for all
   * @param from first key of the page
   * @param limit 0 for no limit
   * @param revision the state to show; empty for the newest
   * @param wanted which objects count
   */
  public record PageRequest(
      String namespace, Key from, int limit, OptionalLong revision, Predicate<ObjectNode> wanted) {

    /** Everything of a namespace, or of all when empty, as it is now. */
    public static PageRequest all(String namespace) {
      return new PageRequest(
          namespace, new Key(namespace, ""), 0, OptionalLong.empty(), any -> true);
    }
  }

  /** Another resource that shows the same objects in another shape. */
  private record Twin(Resource resource, UnaryOperator<ObjectNode> shape) {}

  private final int historyPerResource;
  private final Map<Resource, Twin> twins = new ConcurrentHashMap<>();
  private final Map<Resource, Shelf> shelves = new ConcurrentHashMap<>();
  private final List<Consumer<Change>> listeners = new CopyOnWriteArrayList<>();
  private final Object writing = new Object();
  private volatile long revision = 1;

  /** Makes an empty store that can replay so many changes of a resource. */
  public Store(int historyPerResource) {
    this.historyPerResource = historyPerResource;
  }

  /** Makes what is written to one resource appear in another, in the shape that it gets there. */
  public void mirror(Resource from, Resource to, UnaryOperator<ObjectNode> shape) {
    twins.put(from, new Twin(to, shape));
  }

  /** From now on the resource has objects: what was before cannot be replayed. */
  public void open(Resource resource) {
    synchronized (writing) {
      shelf(resource).forgetUntil(revision);
    }
  }

  /** No change of before can be replayed any more, of any resource. */
  public void forget() {
    synchronized (writing) {
      shelves.values().forEach(shelf -> shelf.forgetUntil(revision));
    }
  }

  /** The revision of the newest write. */
  public long revision() {
    return revision;
  }

  /** The newest version of an object. */
  public Optional<Stored> get(Resource resource, Key key) {
    return shelf(resource).get(key);
  }

  /**
   * Writes an object if it is unchanged; sets its resourceVersion.
   *
   * @param expected the version to replace; empty to create
   * @param next owned by the store from here on
   * @return the new version, or empty when {@code expected} is not the newest
   */
  public Optional<Stored> commit(Resource resource, Optional<Stored> expected, ObjectNode next) {
    Key key = Key.of(next);
    synchronized (writing) {
      if (isOutdated(resource, key, expected)) {
        return Optional.empty();
      }
      Stored stored = version(next, revision + 1);
      String type = expected.isPresent() ? "MODIFIED" : "ADDED";
      publish(new Change(type, resource, key, stored, expected));
      return Optional.of(stored);
    }
  }

  /**
   * Removes an object if it is unchanged.
   *
   * @return the last version with the revision of the deletion, or empty as {@link #commit}
   */
  public Optional<Stored> remove(Resource resource, Stored expected) {
    Key key = Key.of(expected.object());
    synchronized (writing) {
      if (isOutdated(resource, key, Optional.of(expected))) {
        return Optional.empty();
      }
      Stored last = version(expected.copy(), revision + 1);
      publish(new Change("DELETED", resource, key, last, Optional.of(expected)));
      return Optional.of(last);
    }
  }

  /** A page of the newest state or, within the history, of a past one. */
  public Optional<Page> page(Resource resource, PageRequest request) {
    synchronized (writing) {
      return shelf(resource).page(request, revision);
    }
  }

  /** All objects of a resource; an empty namespace means all of them. */
  public List<Stored> list(Resource resource, String namespace) {
    return page(resource, PageRequest.all(namespace)).orElseThrow().items();
  }

  /**
   * The changes of a resource after a revision, oldest first.
   *
   * @return empty when the history no longer reaches back that far
   */
  public Optional<List<Change>> changes(Resource resource, long after) {
    synchronized (writing) {
      return shelf(resource).changes(after);
    }
  }

  /** Waits until the resource has a change after the revision or the time is over. */
  public void awaitChange(Resource resource, long after, long millis) throws InterruptedException {
    shelf(resource).await(after, millis);
  }

  /**
   * Calls the listener for each change of any resource, in order, on the writing thread, before the
   * write returns.
   *
   * @return ends it
   */
  public Runnable listen(Consumer<Change> listener) {
    synchronized (writing) {
      listeners.add(listener);
    }
    return () -> listeners.remove(listener);
  }

  /** As {@link #listen}, after telling the objects of a resource that exist as ADDED. */
  public Runnable follow(Resource resource, Consumer<Change> listener) {
    synchronized (writing) {
      for (Stored there : list(resource, "")) {
        Key key = Key.of(there.object());
        listener.accept(new Change("ADDED", resource, key, there, Optional.empty()));
      }
      return listen(listener);
    }
  }

  private void publish(Change change) {
    List<Change> changes = new ArrayList<>(List.of(change));
    Optional.ofNullable(twins.get(change.resource()))
        .ifPresent(twin -> changes.add(mirrored(change, twin)));
    changes.forEach(each -> shelf(each.resource()).add(each));
    revision = change.revision();
    changes.forEach(each -> listeners.forEach(listener -> listener.accept(each)));
    changes.forEach(each -> shelf(each.resource()).signal());
  }

  private Change mirrored(Change change, Twin twin) {
    Stored now = new Stored(twin.shape().apply(change.now().copy()), change.revision());
    Optional<Stored> before = get(twin.resource(), change.key());
    return new Change(change.type(), twin.resource(), change.key(), now, before);
  }

  private boolean isOutdated(Resource resource, Key key, Optional<Stored> expected) {
    long newest = get(resource, key).map(Stored::revision).orElse(0L);
    return newest != expected.map(Stored::revision).orElse(0L);
  }

  private static Stored version(ObjectNode object, long revision) {
    Json.meta(object).put("resourceVersion", Long.toString(revision));
    return new Stored(object, revision);
  }

  private Shelf shelf(Resource resource) {
    return shelves.computeIfAbsent(resource, any -> new Shelf(historyPerResource));
  }
}
