package io.gpudra.controller.group;

import java.util.Arrays;
import java.util.stream.IntStream;

/** The parts of each kind on each node. Confined to one thread. */
final class NodeCounts {
  private final int[][] counts;

  NodeCounts(int nodes, int kinds) {
    this.counts = new int[nodes][kinds];
  }

  /** Of each kind; not to be changed. */
  int[] of(int node) {
    return counts[node];
  }

  boolean isEmpty(int node) {
    return Arrays.stream(counts[node]).allMatch(count -> count == 0);
  }

  int sum(int kind) {
    return Arrays.stream(counts).mapToInt(ofNode -> ofNode[kind]).sum();
  }

  void set(int node, int kind, int count) {
    counts[node][kind] = count;
  }

  /** Whether two nodes have the same parts of all kinds before this one. */
  boolean isAlike(int node, int other, int kind) {
    return Arrays.equals(counts[node], 0, kind, counts[other], 0, kind);
  }

  /**
   * Places parts of a kind on the nodes with the most room, and the rest where it leaves the least.
   *
   * @param room of each node
   * @return the number of parts for which there is no room
   */
  int fill(int kind, int parts, int[] room) {
    int[] byRoom =
        IntStream.range(0, room.length)
            .filter(node -> room[node] > 0)
            .boxed()
            .sorted((one, other) -> Integer.compare(room[other], room[one]))
            .mapToInt(Integer::intValue)
            .toArray();
    int left = parts;
    for (int i = 0; i < byRoom.length && left > 0; i++) {
      int node = left <= room[byRoom[i]] ? byRoom[last(byRoom, i, room, left)] : byRoom[i];
      int count = Math.min(left, room[node]);
      counts[node][kind] = count;
      left -= count;
    }
    return left;
  }

  /** The last of these nodes that has room for so many. */
  private static int last(int[] byRoom, int from, int[] room, int parts) {
    int last = from;
    while (last + 1 < byRoom.length && room[byRoom[last + 1]] >= parts) {
      last++;
    }
    return last;
  }
}
