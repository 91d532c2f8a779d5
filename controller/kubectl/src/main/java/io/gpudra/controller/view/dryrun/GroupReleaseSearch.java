package io.gpudra.controller.view.dryrun;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Comparator.comparing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.group.GroupAnswer;
import io.gpudra.controller.group.GroupRequest;
import io.gpudra.controller.group.GroupSearch;
import io.gpudra.controller.group.NodeCapacities;
import io.gpudra.crds.model.ClaimUid;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds claims after whose release all members of a group fit at once. Takes all away and gives
 * back what the group does not need, the fullest nodes first: none of the result can be left out,
 * but there may be a smaller set.
 */
public final class GroupReleaseSearch {
  private final GroupRequest request;
  private final ImmutableSet<ClaimUid> members;
  private final Predicate<BlockingClaim> proposable;
  private final QueryDeadline deadline;
  private final NodeCapacities capacities = new NodeCapacities();

  /** The nodes that may be used, in their present state for the search. */
  private final Map<String, NodeLedger> nodes = new LinkedHashMap<>();

  /**
   * A node and its claims that are released.
   *
   * @param emptied without all claims that may be proposed
   */
  private record Node(NodeLedger full, NodeLedger emptied, Set<BlockingClaim> released) {
    NodeLedger freed() {
      return BlockedNode.without(full, released);
    }
  }

  private GroupReleaseSearch(
      GroupRequest request, Predicate<BlockingClaim> proposable, QueryDeadline deadline) {
    this.request = request;
    this.members =
        request.members().stream()
            .flatMap(member -> member.request().claims().stream())
            .map(ClaimRequest::uid)
            .collect(toImmutableSet());
    this.proposable = proposable;
    this.deadline = deadline;
  }

  /**
   * Finds the claims to release.
   *
   * @param request members that do not fit at once
   * @param open the nodes that may be used
   * @param proposable whether a claim may be proposed
   * @param deadline after which there is no answer
   */
  public static ReleaseRemedy of(
      Collection<NodeLedger> open,
      GroupRequest request,
      Predicate<BlockingClaim> proposable,
      QueryDeadline deadline) {
    return new GroupReleaseSearch(request, proposable, deadline).among(open);
  }

  private ReleaseRemedy among(Collection<NodeLedger> open) {
    List<Node> fullestFirst = new ArrayList<>();
    for (NodeLedger ledger : open) {
      if (deadline.isOver()) {
        return new ReleaseRemedy.NotWithin(0);
      }
      fullestFirst.add(node(ledger));
    }
    fullestFirst.sort(
        comparing((Node node) -> -node.released().size())
            .thenComparing(node -> node.full().node()));
    fullestFirst.forEach(node -> nodes.put(node.full().node(), node.emptied()));
    GroupAnswer empty = answer();
    if (!(empty instanceof GroupAnswer.Fits)) {
      return empty instanceof GroupAnswer.DoesNotFit
          ? new ReleaseRemedy.NoneHelps()
          : new ReleaseRemedy.NotWithin(0);
    }
    List<BlockingClaim> needed = new ArrayList<>();
    for (Node node : fullestFirst) {
      if (deadline.isOver()) {
        break;
      }
      if (!node.released().isEmpty() && !fitsWith(node.full())) {
        giveBack(node);
        needed.addAll(node.released());
      }
    }
    return deadline.isOver()
        ? new ReleaseRemedy.NotWithin(0)
        : new ReleaseRemedy.Claims(ImmutableList.copyOf(needed), /* exact= */ needed.size() == 1);
  }

  private Node node(NodeLedger ledger) {
    Set<BlockingClaim> released =
        new LinkedHashSet<>(
            ReleaseSearch.blockers(
                ledger, claim -> !members.contains(claim.uid()) && proposable.test(claim)));
    return new Node(ledger, BlockedNode.without(ledger, released), released);
  }

  /** Claims that nothing releases yet come back first. */
  private void giveBack(Node node) {
    for (BlockingClaim claim : ImmutableList.copyOf(node.released()).reverse()) {
      if (deadline.isOver()) {
        break;
      }
      node.released().remove(claim);
      if (!fitsWith(node.freed())) {
        node.released().add(claim);
      }
    }
  }

  /** Keeps this state of the node if the group fits. */
  private boolean fitsWith(NodeLedger ledger) {
    NodeLedger before = nodes.get(ledger.node());
    nodes.put(ledger.node(), ledger);
    boolean fits = answer() instanceof GroupAnswer.Fits;
    if (!fits && before != null) {
      nodes.put(ledger.node(), before);
    }
    return fits;
  }

  private GroupAnswer answer() {
    return GroupSearch.of(nodes.values(), node -> true, request, capacities, deadline::isOver);
  }
}
