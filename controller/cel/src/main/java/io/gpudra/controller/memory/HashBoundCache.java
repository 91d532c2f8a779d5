package io.gpudra.controller.memory;

import com.google.common.annotations.VisibleForTesting;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.RemovalCause;
import com.google.common.cache.RemovalNotification;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache that keeps few keys of one hash, those that were used last: a tenant or a node can choose
 * thousands of keys with one hash, each of which would be compared with all others. Usable from any
 * thread.
 */
public final class HashBoundCache<K, V> {
  /** More than share a hash by chance. */
  static final int ALIKE = 16;

  private final Cache<K, V> entries;

  /** The keys in the cache by their hash, in the order of their last use. */
  private final ConcurrentMap<Integer, ImmutableList<K>> byHash = new ConcurrentHashMap<>();

  /** An empty cache with these limits. */
  public HashBoundCache(CacheBuilder<K, V> limits) {
    this.entries = limits.removalListener(this::removed).build();
  }

  private void removed(RemovalNotification<K, V> entry) {
    K key = entry.getKey();
    if (key != null && entry.getCause() != RemovalCause.REPLACED) {
      forget(key);
    }
  }

  private void forget(K key) {
    byHash.computeIfPresent(
        key.hashCode(), (hash, alike) -> alike.size() == 1 ? null : without(alike, key));
  }

  private static <K> ImmutableList<K> without(ImmutableList<K> keys, K key) {
    int place = keys.indexOf(key);
    return place < 0 ? keys : joined(keys.subList(0, place), keys.subList(place + 1, keys.size()));
  }

  private static <K> ImmutableList<K> joined(ImmutableList<K> keys, ImmutableList<K> others) {
    return ImmutableList.copyOf(Iterables.concat(keys, others));
  }

  /** The value of the key, if it is known. */
  public @Nullable V getIfPresent(K key) {
    V known = entries.getIfPresent(key);
    if (known != null && byHash.getOrDefault(key.hashCode(), ImmutableList.of()).size() > 1) {
      byHash.computeIfPresent(key.hashCode(), (hash, alike) -> usedLast(alike, key));
    }
    return known;
  }

  private static <K> ImmutableList<K> usedLast(ImmutableList<K> alike, K key) {
    ImmutableList<K> others = without(alike, key);
    return others.size() == alike.size() ? alike : joined(others, ImmutableList.of(key));
  }

  /** The value of the key, the first that was made while it is kept. */
  public V get(K key, Supplier<V> value) {
    V known = getIfPresent(key);
    return known == null ? kept(key, value.get()) : known;
  }

  private V kept(K key, V made) {
    ImmutableList<K> alike =
        byHash.merge(key.hashCode(), ImmutableList.of(key), HashBoundCache::joined);
    alike.stream().limit(Math.max(0, alike.size() - ALIKE)).forEach(entries::invalidate);
    V other = entries.asMap().putIfAbsent(key, made);
    if (other != null) {
      forget(key);
      return other;
    }
    return made;
  }

  @VisibleForTesting
  int hashes() {
    return byHash.size();
  }

  /** Weighs the value anew, if it is still the key's. */
  public void weighAgain(K key, V value) {
    entries.asMap().replace(key, value, value);
  }

  /** Forgets the key, if this is its value. */
  public void remove(K key, V value) {
    entries.asMap().remove(key, value);
  }
}
