package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.LedgerStore.Changes;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.PodPlacer;
import io.gpudra.controller.allocation.refusal.NodeFilters;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestSize;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.memory.BoundedCache;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimUid;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The nodes that suit a request. Thousands of Immediate claims wait with a few kinds of request,
 * and equal ones are evaluated once for each state of a node. The request has no name and no holds
 * of a claim: these only refuse further nodes, or keep the held devices.
 */
final class ImmediateNodeCache {
  /** The memory of one node: its entry in the table, the reason, and strings of its own. */
  private static final long NODE = 100;

  private static final NodeAnswers NO_NODE =
      new NodeAnswers(ImmutableSet.of(), ImmutableMap.of(), ImmutableSet.of());

  private final LedgerStore store;
  private final BoundedCache<ClaimUid, ClaimRequest, RequestAnswers> standings =
      new BoundedCache<>(MemoryBudget.VERDICTS, RequestAnswers::new, RequestAnswers::bytes);

  /**
   * The answer of all nodes.
   *
   * @param refusals of the other nodes; the same object while no node changed and none is undecided
   * @param undecided refusing nodes for which the budget of the pass was not enough; the longest
   *     undecided come first
   */
  record NodeAnswers(
      ImmutableSet<String> fitting,
      ImmutableMap<String, UnsuitableReason> refusals,
      ImmutableSet<String> undecided) {

    /** The same answer, without nodes that are reserved for other waiters. */
    NodeAnswers but(ImmutableSet<String> left) {
      ImmutableSet<String> missed = Sets.intersection(fitting, left).immutableCopy();
      return missed.isEmpty()
          ? this
          : new NodeAnswers(
              Sets.difference(fitting, missed).immutableCopy(),
              ImmutableMap.<String, UnsuitableReason>builder()
                  .putAll(refusals)
                  .putAll(Maps.asMap(missed, node -> NodeRefusal.onOffer()))
                  .buildOrThrow(),
              undecided);
    }
  }

  ImmediateNodeCache(LedgerStore store) {
    this.store = store;
  }

  /** The answer of all nodes now. */
  NodeAnswers of(ClaimRequest claim) {
    RequestAnswers requestAnswers = standings.get(claim.uid(), claim.anonymous(0));
    long before = requestAnswers.bytes();
    NodeAnswers now = requestAnswers.now();
    if (requestAnswers.bytes() > before) {
      standings.grew(requestAnswers.anyClaim);
    }
    return now;
  }

  /** The answer of these nodes now; not remembered. */
  NodeAnswers of(ClaimRequest claim, ImmutableSet<String> nodes) {
    return new RequestAnswers(claim.anonymous(0)).evaluate(NO_NODE, nodes);
  }

  /** The claim's object is gone. */
  void gone(ClaimUid claim) {
    standings.removeAsker(claim);
  }

  /**
   * The answer for one request. Concurrent callers wait while it is computed. A pass has one
   * budget, and the next pass starts with the nodes left undecided. A refusal by a node for which
   * the whole budget is too small stays until the node changes.
   */
  private final class RequestAnswers {
    private final ClaimRequest anyClaim;
    private final PodRequest alone;
    private final long ofRequest;
    private long evaluatedAt = LedgerStore.NEVER;
    private volatile NodeAnswers nodeAnswers = NO_NODE;

    RequestAnswers(ClaimRequest anyClaim) {
      this.anyClaim = anyClaim;
      this.alone = new PodRequest(ImmutableList.of(anyClaim));
      this.ofRequest = RequestSize.of(anyClaim);
    }

    long bytes() {
      NodeAnswers known = nodeAnswers;
      int nodes = known.fitting().size() + known.refusals().size() + known.undecided().size();
      return ofRequest + NODE * nodes;
    }

    synchronized NodeAnswers now() {
      Changes changes = store.changesAfter(evaluatedAt);
      NodeAnswers before = changes.all() ? NO_NODE : nodeAnswers;
      Set<String> asked = Sets.union(before.undecided(), changes.nodes());
      if (changes.all() || !asked.isEmpty()) {
        nodeAnswers = evaluate(before, asked);
      }
      evaluatedAt = changes.time();
      return nodeAnswers;
    }

    private NodeAnswers evaluate(NodeAnswers known, Set<String> nodes) {
      Set<String> fitting = new HashSet<>(known.fitting());
      Map<String, UnsuitableReason> refusals = new HashMap<>(known.refusals());
      ImmutableSet.Builder<String> undecided = ImmutableSet.builder();
      SearchBudget budget = new SearchBudget();
      for (String node : nodes) {
        fitting.remove(node);
        refusals.remove(node);
        Optional<NodeLedger> ledger = store.find(node);
        if (ledger.isPresent()) {
          NodeLedger seen = ledger.get();
          long before = budget.used();
          FaultIsolation.evaluate(
                  () -> refusal(seen, budget), why -> Optional.of(NodeRefusal.notEvaluated(why)))
              .ifPresentOrElse(
                  reason -> refusals.put(node, CachedReason.of(store, node, reason)),
                  () -> fitting.add(node));
          if (refusals.containsKey(node) && budget.isShortBecauseOfOthers(before)) {
            undecided.add(node);
          }
        }
      }
      return new NodeAnswers(
          ImmutableSet.copyOf(fitting), ImmutableMap.copyOf(refusals), undecided.build());
    }

    private Optional<UnsuitableReason> refusal(NodeLedger ledger, SearchBudget budget) {
      Optional<UnsuitableReason> closed = NodeFilters.ofChoice(ledger.inventory().node(), anyClaim);
      return closed.isPresent()
          ? Optional.of(closed.get())
          : PodPlacer.refusal(ledger, alone, budget).map(no -> no.reasons().get(anyClaim.uid()));
    }
  }
}
