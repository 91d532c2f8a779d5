package io.gpudra.controller.group;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingLong;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.MapMaker;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.RequestSize;
import io.gpudra.controller.allocation.search.SearchBudget;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The members of one kind for which each node has room, remembered while the node does not change:
 * a group that waits is searched again and again while few nodes change. Kinds of the namespace
 * with the most bytes are forgotten first. Usable from any thread.
 */
public final class NodeCapacities {
  private static final Duration KEPT = Duration.ofMinutes(5);

  private static final int MAX_KINDS = 16;

  /** The maximum bytes of the requests of all kinds. */
  private static final int MAX_BYTES = 4 << 20;

  /** The kind that was searched for last is the last one. Guarded by this. */
  private final Map<MemberKind, Kept> kept = new LinkedHashMap<>();

  private final Ticker ticker;

  /**
   * What is known of the nodes for one kind.
   *
   * @param bytes of its requests
   * @param used the time of the last search
   */
  private record Kept(Map<NodeLedger, Known> known, long bytes, long used) {}

  /** No capacities. */
  public NodeCapacities() {
    this(Ticker.systemTicker());
  }

  NodeCapacities(Ticker ticker) {
    this.ticker = ticker;
  }

  private synchronized Map<NodeLedger, Known> known(MemberKind kind) {
    Kept before = kept.remove(kind);
    Map<NodeLedger, Known> known =
        before == null ? new MapMaker().weakKeys().makeMap() : before.known();
    kept.put(kind, new Kept(known, before == null ? weight(kind) : before.bytes(), ticker.read()));
    while (shares().values().stream().mapToLong(bytes -> bytes).sum() > MAX_BYTES) {
      forgetOne();
    }
    return known;
  }

  /** Forgets the oldest kind of the namespace with the most bytes. */
  private void forgetOne() {
    String largest = Collections.max(shares().entrySet(), Map.Entry.comparingByValue()).getKey();
    kept.keySet().stream()
        .filter(kind -> kind.namespace().equals(largest))
        .findFirst()
        .ifPresent(kept::remove);
  }

  /** The bytes of what is not too old, by namespace. */
  private Map<String, Long> shares() {
    long now = ticker.read();
    kept.values().removeIf(one -> now - one.used() >= KEPT.toNanos());
    return kept.entrySet().stream()
        .collect(
            groupingBy(
                one -> one.getKey().namespace(), summingLong(one -> one.getValue().bytes())));
  }

  private static long weight(MemberKind kind) {
    long bytes =
        kind.claims().stream().mapToLong(RequestSize::of).sum()
            + kind.demands().elementSet().stream().mapToLong(RequestSize::of).sum();
    return Math.max(MAX_BYTES / MAX_KINDS, bytes);
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
    Map<NodeLedger, Known> ofKind = known(kind);
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
  public synchronized long size() {
    shares();
    return kept.size();
  }
}
