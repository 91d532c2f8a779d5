package io.gpudra.controller.gate;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.hash.HashCode;
import com.google.common.hash.HashFunction;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import io.gpudra.controller.loop.ControllerDelays;
import java.util.function.LongSupplier;

/**
 * Nodes that had no room for a pod according to the scheduler: left out for pods of that size and
 * namespace, since other demands of its author may be why.
 */
final class LeftOutNodes {
  private static final int MAX_OF_A_NAMESPACE = 1_000;

  private static final HashFunction HASH = Hashing.goodFastHash(128);

  private final Ticker ticker;
  private final LoadingCache<String, Cache<Room, Boolean>> namespaces;

  /**
   * A node without room.
   *
   * @param size a hash, since a size is up to 64 KiB that the author of a pod chooses
   */
  private record Room(String node, HashCode size) {}

  LeftOutNodes(LongSupplier nanoTime) {
    this.ticker =
        new Ticker() {
          @Override
          public long read() {
            return nanoTime.getAsLong();
          }
        };
    this.namespaces =
        CacheBuilder.newBuilder()
            .ticker(ticker)
            .expireAfterAccess(ControllerDelays.LEFT_OUT)
            .build(CacheLoader.from(() -> rooms()));
  }

  private Cache<Room, Boolean> rooms() {
    return CacheBuilder.newBuilder()
        .ticker(ticker)
        .expireAfterWrite(ControllerDelays.LEFT_OUT)
        .maximumSize(MAX_OF_A_NAMESPACE)
        .build();
  }

  /** The scheduler finds no room for a pod of this namespace and size on the node. */
  void add(String node, String namespace, ImmutableMap<String, Long> size) {
    namespaces.getUnchecked(namespace).put(new Room(node, hash(size)), true);
  }

  /** The nodes that have no room for a pod of this namespace and size. */
  ImmutableSet<String> of(String namespace, ImmutableMap<String, Long> size) {
    Cache<Room, Boolean> rooms = namespaces.getIfPresent(namespace);
    if (rooms == null) {
      return ImmutableSet.of();
    }
    HashCode hash = hash(size);
    return rooms.asMap().keySet().stream()
        .filter(room -> room.size().equals(hash))
        .map(Room::node)
        .collect(ImmutableSet.toImmutableSet());
  }

  private static HashCode hash(ImmutableMap<String, Long> size) {
    Hasher hasher = HASH.newHasher();
    ImmutableSortedMap.copyOf(size)
        .forEach(
            (resource, amount) ->
                hasher.putInt(resource.length()).putUnencodedChars(resource).putLong(amount));
    return hasher.hash();
  }

  int size() {
    return namespaces.asMap().values().stream().mapToInt(rooms -> rooms.asMap().size()).sum();
  }
}
