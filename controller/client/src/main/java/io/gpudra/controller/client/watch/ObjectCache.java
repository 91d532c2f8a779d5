package io.gpudra.controller.client.watch;

import com.google.common.collect.ImmutableSet;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The watched objects of one kind. Reads take no lock; one {@link Informer} writes. Replaces the
 * stock indexer, which leaks the index entries of deleted objects and serializes all reads (defects
 * 8, 22).
 */
public final class ObjectCache<V> {
  private final ConcurrentHashMap<String, Kept<V>> objects = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Set<String>> index = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, String> unreadable = new ConcurrentHashMap<>();
  private final Function<V, Collection<String>> indexed;
  private volatile String position = "";

  /**
   * One object.
   *
   * @param key {@code namespace/name}, or the name of a cluster-scoped object
   */
  public record Kept<V>(String key, String uid, String resourceVersion, V value) {}

  /** A cache without index. */
  public ObjectCache() {
    this(value -> List.of());
  }

  /**
   * A cache with an index.
   *
   * @param indexed the terms under which {@link #keysOf} finds an object; depends on the object
   *     alone
   */
  public ObjectCache(Function<V, Collection<String>> indexed) {
    this.indexed = indexed;
  }

  /** Key of an object; an empty namespace stands for a cluster-scoped one. */
  public static String key(String namespace, String name) {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }

  /** The object of this key. */
  public Optional<Kept<V>> get(String key) {
    return Optional.ofNullable(objects.get(key));
  }

  /**
   * The problem of the stored object of this key, if it is malformed. {@link #get} then has its
   * last readable state, if any.
   */
  public Optional<String> problem(String key) {
    return Optional.ofNullable(unreadable.get(key));
  }

  /** All objects, each in the state at the time of the iteration. */
  public Collection<Kept<V>> all() {
    return Collections.unmodifiableCollection(objects.values());
  }

  /** The number of objects, readable or not, and of their index terms. */
  public int size() {
    return objects.size() + unreadable.size() + index.size();
  }

  /** Keys of the objects with this index term. */
  public ImmutableSet<String> keysOf(String term) {
    return ImmutableSet.copyOf(index.getOrDefault(term, ImmutableSet.of()));
  }

  /** Whether one of the objects with this index term is such. */
  public boolean anyOf(String term, Predicate<V> such) {
    return index.getOrDefault(term, ImmutableSet.of()).stream()
        .flatMap(key -> Stream.ofNullable(objects.get(key)))
        .anyMatch(kept -> such.test(kept.value()));
  }

  /** The resourceVersion up to which the cache is complete; empty before the first list. */
  public String position() {
    return position;
  }

  /** For the feed of the cache: it is complete up to this resourceVersion. */
  public void completeUpTo(String resourceVersion) {
    position = resourceVersion;
  }

  /** A copy of all keys, including those of unreadable objects. */
  ImmutableSet<String> keys() {
    return ImmutableSet.<String>builder()
        .addAll(objects.keySet())
        .addAll(unreadable.keySet())
        .build();
  }

  /** For the feed of the cache: the object exists and is malformed. */
  public void unreadable(String key, String problem) {
    unreadable.put(key, problem);
  }

  /** For the feed of the cache: no object of this key is malformed any more. */
  void noneUnreadable(String key) {
    unreadable.remove(key);
  }

  /** For the feed of the cache. */
  public void put(Kept<V> object) {
    unreadable.remove(object.key());
    Kept<V> before = objects.put(object.key(), object);
    ImmutableSet<String> terms = ImmutableSet.copyOf(indexed.apply(object.value()));
    if (before != null) {
      indexed.apply(before.value()).stream()
          .filter(term -> !terms.contains(term))
          .forEach(term -> unindex(term, object.key()));
    }
    terms.forEach(term -> index(term, object.key()));
  }

  /** For the feed of the cache. */
  public void remove(Kept<V> object) {
    objects.remove(object.key());
    indexed.apply(object.value()).forEach(term -> unindex(term, object.key()));
  }

  private void index(String term, String key) {
    index.computeIfAbsent(term, t -> ConcurrentHashMap.newKeySet()).add(key);
  }

  private void unindex(String term, String key) {
    index.computeIfPresent(
        term,
        (t, keys) -> {
          keys.remove(key);
          return keys.isEmpty() ? null : keys;
        });
  }
}
