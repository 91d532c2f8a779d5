package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingInt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.group.NodeCapacities.Capacity;
import java.util.Collection;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Searches the nodes on which all members of a group fit at once. Changes nothing.
 *
 * <p>Members that ask alike fit if and only if the room of all nodes for them suffices, since nodes
 * do not depend on each other. Members of several kinds are placed kind after kind; if that fails,
 * {@link KindSearch} decides within its budget.
 */
public final class GroupSearch {
  /** The kinds of members in one group. */
  public static final int MAX_KINDS = 8;

  /** The claims of members that must share a node, and the members. */
  static final int MAX_OF_A_PART = 256;

  private final ImmutableList<Need> needs;
  private final ImmutableList<NodeLedger> nodes;
  private final NodeRoom room;

  /**
   * The parts of one kind.
   *
   * @param alone the room of each node while it gets no other parts
   */
  record Need(MemberKind kind, ImmutableList<GroupPart> parts, ImmutableList<Capacity> alone) {

    int wanted() {
      return parts.size();
    }

    /** The parts of this kind for which the node has room if it gets no others. */
    int alone(int node) {
      return Math.min(alone.get(node).count(), wanted());
    }

    private int slack() {
      return alone.stream().mapToInt(Capacity::count).sum() - wanted();
    }

    private boolean isSure() {
      return alone.stream().allMatch(Capacity::sure);
    }
  }

  private GroupSearch(
      ImmutableList<Need> needs, ImmutableList<NodeLedger> nodes, SearchBudget budget) {
    this.needs = needs;
    this.nodes = nodes;
    this.room = new NodeRoom(needs.stream().map(Need::kind).collect(toImmutableList()), budget);
  }

  /**
   * Where the group fits.
   *
   * @param open the nodes that may be used
   * @param capacities of nodes, remembered from earlier searches
   * @param late whether the time is over
   */
  public static GroupAnswer of(
      Collection<NodeLedger> all,
      Predicate<String> open,
      GroupRequest request,
      NodeCapacities capacities,
      BooleanSupplier late) {
    if (!isSearched(request)) {
      return new GroupAnswer.Undecided(0);
    }
    ImmutableMap<MemberKind, ImmutableList<GroupPart>> kinds = request.kinds();
    ImmutableList<NodeLedger> nodes =
        all.stream()
            .filter(ledger -> open.test(ledger.node()))
            .sorted(comparing(NodeLedger::node))
            .collect(toImmutableList());
    SearchBudget budget = new SearchBudget(nodes.size(), late);
    ImmutableList<Need> scarcestFirst =
        kinds.entrySet().stream()
            .map(
                kind ->
                    new Need(
                        kind.getKey(),
                        kind.getValue(),
                        capacities.of(nodes, kind.getKey(), kind.getValue().size(), budget)))
            .sorted(comparingInt(Need::slack))
            .collect(toImmutableList());
    return new GroupSearch(scarcestFirst, nodes, budget).answer();
  }

  /** Whether few enough members with few enough claims share a node, and all have few kinds. */
  static boolean isSearched(GroupRequest request) {
    return request.parts().stream().allMatch(GroupSearch::isSearched)
        && request.kinds().size() <= MAX_KINDS;
  }

  private static boolean isSearched(GroupPart part) {
    return part.members().size() <= MAX_OF_A_PART && part.claims().size() <= MAX_OF_A_PART;
  }

  private GroupAnswer answer() {
    NodeCounts greedy = new NodeCounts(nodes.size(), needs.size());
    Optional<Need> shortest = Optional.empty();
    for (int kind = 0; kind < needs.size(); kind++) {
      Need need = needs.get(kind);
      int left = greedy.fill(kind, need.wanted(), roomBeside(greedy, kind));
      shortest = shortest.or(() -> Optional.of(need).filter(unused -> left > 0));
    }
    return shortest.isEmpty() ? fits(greedy) : beyond(greedy, shortest.get());
  }

  /** The answer where one kind after the other does not fit. */
  private GroupAnswer beyond(NodeCounts greedy, Need shortest) {
    boolean sure = needs.stream().allMatch(Need::isSure);
    if (shortest.slack() >= 0) {
      KindSearch search = new KindSearch(nodes, needs, room);
      Optional<NodeCounts> found = search.find();
      if (found.isPresent()) {
        return fits(found.get());
      }
      sure &= search.isDecided();
    }
    return sure
        ? new GroupAnswer.DoesNotFit(members(greedy), shortest.kind())
        : new GroupAnswer.Undecided(members(greedy));
  }

  private int[] roomBeside(NodeCounts counts, int kind) {
    return IntStream.range(0, nodes.size())
        .map(node -> roomBeside(counts, node, kind, needs.get(kind).alone(node)))
        .toArray();
  }

  private int roomBeside(NodeCounts counts, int node, int kind, int most) {
    return counts.isEmpty(node) || most == 0
        ? most
        : room.more(nodes.get(node), counts.of(node), kind, most);
  }

  private int members(NodeCounts counts) {
    return IntStream.range(0, needs.size())
        .flatMap(
            kind ->
                needs.get(kind).parts().stream()
                    .limit(counts.sum(kind))
                    .mapToInt(part -> part.members().size()))
        .sum();
  }

  private GroupAnswer.Fits fits(NodeCounts counts) {
    int[] next = new int[needs.size()];
    ImmutableMap.Builder<String, ImmutableList<GroupPart>> byNode = ImmutableMap.builder();
    for (int node = 0; node < nodes.size(); node++) {
      ImmutableList.Builder<GroupPart> there = ImmutableList.builder();
      for (int kind = 0; kind < next.length; kind++) {
        int end = next[kind] + counts.of(node)[kind];
        there.addAll(needs.get(kind).parts().subList(next[kind], end));
        next[kind] = end;
      }
      if (!counts.isEmpty(node)) {
        byNode.put(nodes.get(node).node(), there.build());
      }
    }
    return new GroupAnswer.Fits(byNode.buildOrThrow());
  }
}
