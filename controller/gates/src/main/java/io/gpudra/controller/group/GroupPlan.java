package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingInt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.primitives.ImmutableIntArray;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.group.NodeCapacities.Capacity;
import io.gpudra.crds.model.ClaimRef;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Nodes on which a group fits at once when only claims of its own pods have devices there.
 *
 * @param kinds the number of its parts of each kind
 * @param counts the parts of each kind on each node, in the order of the kinds
 * @param staying claims of its pods that started before
 */
record GroupPlan(
    ImmutableMap<MemberKind, Integer> kinds,
    ImmutableMap<String, ImmutableIntArray> counts,
    ImmutableSet<ClaimRef> staying) {
  private static final Comparator<NodeLedger> BY_FREEDOM =
      comparingInt((NodeLedger ledger) -> -freeGpus(ledger)).thenComparing(NodeLedger::node);

  private static int freeGpus(NodeLedger ledger) {
    return FaultIsolation.evaluate(() -> Long.bitCount(ledger.freeMask()), why -> 0);
  }

  /**
   * A plan on as few nodes as it takes, those first that have most free now; empty if the group
   * does not fit the cluster, or if that is not decided.
   *
   * @param emptied nodes, remembered from earlier plans
   * @param capacities of them, remembered likewise
   * @param late whether the time is over
   */
  static Optional<GroupPlan> of(
      Collection<NodeLedger> all,
      GroupRequest request,
      EmptiedNodes emptied,
      NodeCapacities capacities,
      BooleanSupplier late) {
    if (!GroupSearch.isSearched(request)) {
      return Optional.empty();
    }
    ImmutableList<NodeLedger> nodes =
        emptied.of(all.stream().sorted(BY_FREEDOM).collect(toImmutableList()), request.staying());
    int size = least(nodes, request, capacities, late);
    while (size <= nodes.size()) {
      Optional<GroupPlan> plan = of(nodes.subList(0, size), request, capacities, late);
      if (plan.isPresent() || size == nodes.size()) {
        return plan;
      }
      size = Math.min(2 * size, nodes.size());
    }
    return Optional.empty();
  }

  /** The number of nodes that have room for each kind by itself; too many if there are none. */
  private static int least(
      ImmutableList<NodeLedger> nodes,
      GroupRequest request,
      NodeCapacities capacities,
      BooleanSupplier late) {
    SearchBudget budget = new SearchBudget(nodes.size(), late);
    return request.kinds().entrySet().stream()
        .mapToInt(
            kind -> {
              int wanted = kind.getValue().size();
              return least(capacities.of(nodes, kind.getKey(), wanted, budget), wanted);
            })
        .max()
        .orElse(0);
  }

  private static int least(ImmutableList<Capacity> ofNodes, int wanted) {
    int sum = 0;
    for (int i = 0; i < ofNodes.size(); i++) {
      sum += ofNodes.get(i).count();
      if (sum >= wanted) {
        return i + 1;
      }
    }
    return ofNodes.size() + 1;
  }

  private static Optional<GroupPlan> of(
      ImmutableList<NodeLedger> nodes,
      GroupRequest request,
      NodeCapacities capacities,
      BooleanSupplier late) {
    return GroupSearch.of(nodes, unused -> true, request, capacities, late)
            instanceof GroupAnswer.Fits fits
        ? Optional.of(of(fits, request)).filter(plan -> nodes.stream().allMatch(plan::fits))
        : Optional.empty();
  }

  private static GroupPlan of(GroupAnswer.Fits fits, GroupRequest request) {
    ImmutableMap<MemberKind, Integer> kinds = kinds(request);
    ImmutableMap.Builder<String, ImmutableIntArray> counts = ImmutableMap.builder();
    fits.byNode()
        .forEach((node, parts) -> counts.put(node, counts(kinds.keySet().asList(), parts)));
    return new GroupPlan(kinds, counts.buildOrThrow(), request.staying());
  }

  private static ImmutableMap<MemberKind, Integer> kinds(GroupRequest request) {
    return ImmutableMap.copyOf(Maps.transformValues(request.kinds(), ImmutableList::size));
  }

  /** Whether a group with this request has the same parts, and the same pods that started. */
  boolean isFor(GroupRequest request) {
    return kinds.equals(kinds(request)) && staying.equals(request.staying());
  }

  private static ImmutableIntArray counts(
      ImmutableList<MemberKind> kinds, ImmutableList<GroupPart> parts) {
    int[] counts = new int[kinds.size()];
    parts.forEach(part -> counts[kinds.indexOf(part.kind())]++);
    return ImmutableIntArray.copyOf(counts);
  }

  /** Whether the claim is one of the group's pods that started before. */
  boolean stays(ClaimRef claim) {
    return staying.contains(claim);
  }

  /**
   * Whether the node has room for its members. Each commit asks this, so that members for which it
   * takes long to decide have no room.
   */
  boolean fits(NodeLedger ledger) {
    ImmutableIntArray members = counts.get(ledger.node());
    return members == null
        || new NodeRoom(kinds.keySet().asList(), SearchBudget.ofQuestion()).suits(ledger, members);
  }
}
