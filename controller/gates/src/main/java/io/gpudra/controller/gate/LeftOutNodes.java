package io.gpudra.controller.gate;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.loop.ControllerDelays;
import java.util.function.LongSupplier;

/** Nodes that had no room for a pod according to the scheduler: left out for pods of that size. */
final class LeftOutNodes {
  private static final int MAX = 1_000;

  private final Cache<Room, Boolean> rooms;

  private record Room(String node, ImmutableMap<String, Long> size) {}

  LeftOutNodes(LongSupplier nanoTime) {
    this.rooms =
        CacheBuilder.newBuilder()
            .ticker(
                new Ticker() {
                  @Override
                  public long read() {
                    return nanoTime.getAsLong();
                  }
                })
            .expireAfterWrite(ControllerDelays.LEFT_OUT)
            .maximumSize(MAX)
            .build();
  }

  /** The scheduler finds no room for a pod of this size on the node. */
  void add(String node, ImmutableMap<String, Long> size) {
    rooms.put(new Room(node, size), true);
  }

  /** The nodes that have no room for a pod of this size. */
  ImmutableSet<String> of(ImmutableMap<String, Long> size) {
    return rooms.asMap().keySet().stream()
        .filter(room -> room.size().equals(size))
        .map(Room::node)
        .collect(ImmutableSet.toImmutableSet());
  }

  int size() {
    return rooms.asMap().size();
  }
}
