package io.gpudra.controller.memory;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.RemovalCause;
import com.google.common.cache.RemovalNotification;
import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.Multiset;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache that keeps few keys of one hash: a tenant or a node can choose thousands of keys with one
 * hash, each of which would be compared with all others. A value beyond is not kept. Usable from
 * any thread.
 */
public final class HashBoundCache<K, V> {
  /** More than share a hash by chance. */
  static final int ALIKE = 16;

  private final Cache<K, V> entries;

  /** Those of all keys in the cache. */
  private final Multiset<Integer> hashes = ConcurrentHashMultiset.create();

  /** An empty cache with these limits. */
  public HashBoundCache(CacheBuilder<K, V> limits) {
    this.entries = limits.removalListener(this::removed).build();
  }

  private void removed(RemovalNotification<K, V> entry) {
    K key = entry.getKey();
    if (key != null && entry.getCause() != RemovalCause.REPLACED) {
      boolean unused = hashes.remove(key.hashCode());
    }
  }

  /** The value of the key, if it is known. */
  public @Nullable V getIfPresent(K key) {
    return entries.getIfPresent(key);
  }

  /** The value of the key, made once while it is kept. */
  public V get(K key, Supplier<V> value) {
    V known = entries.getIfPresent(key);
    if (known != null) {
      return known;
    }
    return isFull(key) ? value.get() : added(key, value);
  }

  private boolean isFull(K key) {
    return hashes.count(key.hashCode()) >= ALIKE;
  }

  private V added(K key, Supplier<V> value) {
    try {
      return entries.get(
          key,
          () -> {
            V made = value.get();
            hashes.add(key.hashCode());
            return made;
          });
    } catch (ExecutionException e) {
      throw new IllegalStateException("making a value throws nothing checked", e);
    }
  }

  /** Keeps the value of a new key, if there is room. */
  public void put(K key, V value) {
    if (!isFull(key)) {
      hashes.add(key.hashCode());
      if (entries.asMap().put(key, value) != null) {
        boolean unused = hashes.remove(key.hashCode());
      }
    }
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
