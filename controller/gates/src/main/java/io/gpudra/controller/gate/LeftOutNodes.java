package io.gpudra.controller.gate;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.loop.ControllerDelays;
import java.util.function.LongSupplier;

/**
 * Nodes that had no room for a pod according to the scheduler: left out for pods of that size and
 * namespace, since other demands of its author may be why.
 */
final class LeftOutNodes {
  private static final int MAX_OF_A_NAMESPACE = 1_000;

  private final Ticker ticker;
  private final LoadingCache<String, Cache<Room, Boolean>> namespaces;

  private record Room(String node, ImmutableMap<String, Long> size) {}

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
    namespaces.getUnchecked(namespace).put(new Room(node, size), true);
  }

  /** The nodes that have no room for a pod of this namespace and size. */
  ImmutableSet<String> of(String namespace, ImmutableMap<String, Long> size) {
    Cache<Room, Boolean> rooms = namespaces.getIfPresent(namespace);
    return rooms == null
        ? ImmutableSet.of()
        : rooms.asMap().keySet().stream()
            .filter(room -> room.size().equals(size))
            .map(Room::node)
            .collect(ImmutableSet.toImmutableSet());
  }

  int size() {
    return namespaces.asMap().values().stream().mapToInt(rooms -> rooms.asMap().size()).sum();
  }
}
