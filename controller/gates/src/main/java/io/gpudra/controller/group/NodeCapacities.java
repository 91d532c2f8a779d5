package io.gpudra.controller.group;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.MapMaker;
import com.google.common.primitives.Ints;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.RequestSize;
import io.gpudra.controller.allocation.search.SearchBudget;
import java.time.Duration;
import java.util.Map;

/**
 * The members of one kind for which each node has room, remembered while the node does not change:
 * a group that waits is searched again and again while few nodes change. Usable from any thread.
 */
public final class NodeCapacities {
  private static final Duration KEPT = Duration.ofMinutes(5);

  private static final int MAX_KINDS = 16;

  /** The maximum bytes of the requests of all kinds. */
  private static final int MAX_BYTES = 4 << 20;

  private final Cache<MemberKind, Map<NodeLedger, Known>> known;

  /** No capacities. */
  public NodeCapacities() {
    this(Ticker.systemTicker());
  }

  NodeCapacities(Ticker ticker) {
    this.known =
        CacheBuilder.newBuilder()
            // A part of the cache for each thread would have a part of the weight.
            .concurrencyLevel(1)
            .maximumWeight(MAX_BYTES)
            .weigher(NodeCapacities::weight)
            .expireAfterAccess(KEPT)
            .ticker(ticker)
            .build();
  }

  private static int weight(MemberKind kind, Map<NodeLedger, Known> unused) {
    long bytes =
        kind.claims().stream().mapToLong(RequestSize::of).sum()
            + kind.demands().elementSet().stream().mapToLong(RequestSize::of).sum();
    return Ints.saturatedCast(Math.max(MAX_BYTES / MAX_KINDS, bytes));
  }

  /**
   * The room of a node for members of one kind.
   *
   * @param sure whether it has no more
   */
  record Capacity(int count, boolean sure) {}

  /**
   * A capacity of which this number at most was wanted.
   *
   * @param most that were wanted
   */
  private record Known(Capacity capacity, int most) {
    boolean answers(int wanted) {
      return wanted <= most || capacity.count() < most;
    }

    Capacity of(int wanted) {
      return capacity.count() < wanted ? capacity : new Capacity(wanted, /* sure= */ true);
    }
  }

  /** The capacities of the nodes for one kind, in their order. */
  ImmutableList<Capacity> of(
      ImmutableList<NodeLedger> nodes, MemberKind kind, int most, SearchBudget budget) {
    Map<NodeLedger, Known> ofKind =
        known.asMap().computeIfAbsent(kind, unused -> new MapMaker().weakKeys().makeMap());
    ImmutableList.Builder<Capacity> capacities = ImmutableList.builder();
    for (NodeLedger node : nodes) {
      Known before = ofKind.get(node);
      capacities.add(
          before != null && before.answers(most)
              ? before.of(most)
              : searched(node, kind, most, budget, ofKind));
    }
    return capacities.build();
  }

  private static Capacity searched(
      NodeLedger node,
      MemberKind kind,
      int most,
      SearchBudget budget,
      Map<NodeLedger, Known> ofKind) {
    long before = budget.used();
    NodeRoom room = new NodeRoom(ImmutableList.of(kind), budget);
    Capacity capacity = new Capacity(room.more(node, new int[1], 0, most), !room.isUnsure());
    if (!budget.isShortBecauseOfOthers(before) && !budget.isLate()) {
      ofKind.put(node, new Known(capacity, most));
    }
    return capacity;
  }

  /** The number of kinds that are remembered. */
  public long size() {
    known.cleanUp();
    return known.size();
  }
}
