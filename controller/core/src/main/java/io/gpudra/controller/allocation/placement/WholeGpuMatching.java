package io.gpudra.controller.allocation.placement;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableLongArray;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.NodeFilters;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.refusal.TaintFilter;
import io.gpudra.controller.allocation.refusal.WholeGpuShortage;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.BipartiteMatching;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * The capacity of one node for the claims of one pod.
 *
 * @param open claims of the batch that hold nothing of the node yet
 * @param matching the devices that match each open claim, free or not, as bits
 * @param bipartiteMatching of the open claims, in their order
 */
record WholeGpuMatching(
    NodeLedger ledger,
    PodRequest request,
    ImmutableList<ClaimRequest> open,
    ImmutableLongArray matching,
    BipartiteMatching bipartiteMatching) {

  /** Whether the budget covers the conditions that are dear, or evaluated on each GPU by itself. */
  static boolean mayAsk(NodeLedger ledger, ImmutableList<ClaimRequest> open, SearchBudget budget) {
    // Called for each pod and node: a loop allocates no memory.
    long steps = 0;
    for (ClaimRequest claim : open) {
      steps += claim.only().devicePredicate().steps();
    }
    if (steps == 0) {
      return true;
    }
    budget.nextNode();
    return budget.mayAsk(steps * ledger.inventory().gpus().size());
  }

  static WholeGpuMatching of(
      NodeLedger ledger, PodRequest request, ImmutableList<ClaimRequest> open) {
    long[] matching = new long[open.size()];
    long[] candidates = new long[open.size()];
    int[] wanted = new int[open.size()];
    for (int i = 0; i < wanted.length; i++) {
      matching[i] = open.get(i).only().devicePredicate().matching(ledger.inventory());
      long free = matching[i] & ledger.freeMask();
      candidates[i] = free & ~TaintFilter.repelling(ledger.inventory(), open.get(i), free);
      wanted[i] = open.get(i).only().count();
    }
    return new WholeGpuMatching(
        ledger,
        request,
        open,
        ImmutableLongArray.copyOf(matching),
        new BipartiteMatching(candidates, wanted));
  }

  /** Empty when all open claims can have their devices at once. */
  Optional<Placement.DoesNotFit> refusal() {
    ImmutableMap<ClaimUid, UnsuitableReason> reasons = reasons();
    return reasons.isEmpty() ? Optional.empty() : Optional.of(new Placement.DoesNotFit(reasons));
  }

  private ImmutableMap<ClaimUid, UnsuitableReason> reasons() {
    Optional<UnsuitableReason> node = NodeFilters.ofNode(ledger);
    if (node.isPresent()) {
      return each(i -> node);
    }
    ImmutableMap<ClaimUid, UnsuitableReason> alone = each(this::alone);
    if (!alone.isEmpty() || bipartiteMatching.satisfiable()) {
      return alone;
    }
    ImmutableList<ClaimRef> all = request.refs();
    return each(i -> Optional.of(new NodeRefusal.NotTogether(open.get(i).ref(), all)));
  }

  private Optional<UnsuitableReason> alone(int claim) {
    return NodeFilters.ofClaim(ledger, open.get(claim))
        .or(
            () ->
                WholeGpuShortage.of(
                    ledger,
                    open.get(claim),
                    matching.get(claim),
                    bipartiteMatching.candidates(claim)));
  }

  private ImmutableMap<ClaimUid, UnsuitableReason> each(
      IntFunction<Optional<UnsuitableReason>> reason) {
    ImmutableMap.Builder<ClaimUid, UnsuitableReason> reasons = ImmutableMap.builder();
    for (int i = 0; i < open.size(); i++) {
      ClaimUid claim = open.get(i).uid();
      reason.apply(i).ifPresent(refusal -> reasons.put(claim, refusal));
    }
    return reasons.buildOrThrow();
  }
}
