package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableIntArray;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.NodeFingerprint;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.group.GroupSearch.Need;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Searches nodes for parts of several kinds, depth first: kind after kind, node after node, from
 * the most parts on a node down. The last kind needs no search. Nodes that are alike get the parts
 * of a kind in one order only. Confined to one thread.
 */
final class KindSearch {
  private static final int MAX_STATES = 20_000;

  /** Of the recursion: more than a group has members. */
  private static final int MAX_DEPTH = 2_000;

  /** The nodes whose room is summed at the cost of a state. */
  private static final int SUMMED = 64;

  private final ImmutableList<NodeLedger> nodes;
  private final ImmutableList<Need> needs;
  private final NodeRoom room;
  private final int[] alike;
  private final NodeCounts counts;
  private final int searchesBefore;
  private final Map<RoomQuestion, Integer> known = new HashMap<>();
  private final int[] order;
  private int states;
  private int depth;
  private boolean spent;

  private record RoomQuestion(int alike, ImmutableIntArray beside, int kind) {}

  private record NodeKind(
      NodeFingerprint fingerprint,
      int monitors,
      ImmutableMap<String, Long> allocatable,
      ImmutableList<Boolean> admitted) {}

  /**
   * A search.
   *
   * @param needs the scarcest first
   */
  KindSearch(ImmutableList<NodeLedger> nodes, ImmutableList<Need> needs, NodeRoom room) {
    this.nodes = nodes;
    this.needs = needs;
    this.room = room;
    this.searchesBefore = room.searches();
    this.alike = alike();
    this.order = order();
    this.counts = new NodeCounts(nodes.size(), needs.size());
  }

  /** Nodes with the most room for the scarcest kind come first, and those that are alike follow. */
  private int[] order() {
    return IntStream.range(0, nodes.size())
        .boxed()
        .sorted(
            Comparator.comparingInt((Integer node) -> -needs.get(0).alone(node))
                .thenComparingInt(node -> alike[node])
                .thenComparingInt(node -> node))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /** For each node the first one that is alike for all kinds. */
  private int[] alike() {
    boolean decided = needs.stream().map(Need::kind).allMatch(MemberKind::isDecidedByFingerprint);
    Map<NodeKind, Integer> first = new HashMap<>();
    return IntStream.range(0, nodes.size())
        .map(
            node ->
                decided
                    ? kind(nodes.get(node))
                        .map(kind -> first.computeIfAbsent(kind, unused -> node))
                        .orElse(node)
                    : node)
        .toArray();
  }

  private Optional<NodeKind> kind(NodeLedger ledger) {
    return FaultIsolation.evaluate(
        () -> NodeFingerprint.of(ledger).map(fingerprint -> kind(ledger, fingerprint)),
        why -> Optional.empty());
  }

  private NodeKind kind(NodeLedger ledger, NodeFingerprint fingerprint) {
    return new NodeKind(
        fingerprint,
        ledger.monitors(),
        ledger.inventory().node().allocatable(),
        IntStream.range(0, needs.size())
            .mapToObj(kind -> room.isAdmitted(ledger, kind))
            .collect(toImmutableList()));
  }

  /** Whether the search came to an end. */
  boolean isDecided() {
    return !spent && !room.isUnsure();
  }

  /** A place for all parts, if one was found. */
  Optional<NodeCounts> find() {
    return place(0) ? Optional.of(counts) : Optional.empty();
  }

  private boolean place(int kind) {
    states += nodes.size() / SUMMED;
    int[] most = IntStream.range(0, nodes.size()).map(node -> room(node, kind)).toArray();
    int sum = IntStream.of(most).sum();
    if (sum < needs.get(kind).wanted()) {
      return false;
    }
    if (kind == needs.size() - 1) {
      counts.fill(kind, needs.get(kind).wanted(), most);
      return true;
    }
    return choose(new Step(kind, 0, needs.get(kind).wanted(), sum), most);
  }

  /**
   * Parts to place.
   *
   * @param next the position of the next node
   * @param left the number of parts
   * @param rest the room of the next and all further nodes
   */
  private record Step(int kind, int next, int left, int rest) {
    Step then(int placed, int most) {
      return new Step(kind, next + 1, left - placed, rest - most);
    }
  }

  private boolean choose(Step from, int[] most) {
    if (from.left() == 0) {
      return place(from.kind() + 1);
    }
    Step step = from;
    while (step.left() <= step.rest() && most[order[step.next()]] == 0) {
      step = step.then(0, 0);
    }
    if (step.left() > step.rest() || !spend()) {
      return false;
    }
    int node = order[step.next()];
    depth++;
    for (int count = most(step, most); count >= 0 && !spent; count--) {
      counts.set(node, step.kind(), count);
      if (choose(step.then(count, most[node]), most)) {
        return true;
      }
    }
    depth--;
    counts.set(node, step.kind(), 0);
    return false;
  }

  /** A node gets no more than the one before that is alike. */
  private int most(Step step, int[] most) {
    int node = order[step.next()];
    int fitting = Math.min(most[node], step.left());
    if (step.next() == 0) {
      return fitting;
    }
    int before = order[step.next() - 1];
    return alike[before] == alike[node] && counts.isAlike(before, node, step.kind())
        ? Math.min(fitting, counts.of(before)[step.kind()])
        : fitting;
  }

  private boolean spend() {
    states++;
    spent |= states + room.searches() - searchesBefore > MAX_STATES || depth > MAX_DEPTH;
    spent |= room.isOver();
    return !spent;
  }

  private int room(int node, int kind) {
    int most = needs.get(kind).alone(node);
    return most == 0 || counts.isEmpty(node) ? most : roomBeside(node, kind, most);
  }

  private int roomBeside(int node, int kind, int most) {
    if (!spend()) {
      return 0;
    }
    RoomQuestion question =
        new RoomQuestion(alike[node], ImmutableIntArray.copyOf(counts.of(node)), kind);
    Integer before = known.get(question);
    if (before != null) {
      return before;
    }
    int now = room.more(nodes.get(node), counts.of(node), kind, most);
    known.put(question, now);
    return now;
  }
}
