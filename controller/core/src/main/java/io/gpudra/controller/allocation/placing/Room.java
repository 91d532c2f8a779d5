package io.gpudra.controller.allocation.placing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableLongArray;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.Obstacles;
import io.gpudra.controller.allocation.refusal.Refusal;
import io.gpudra.controller.allocation.refusal.Shortage;
import io.gpudra.controller.allocation.refusal.Taints;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.search.Demands;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Reason;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * What the claims of one pod find on one node.
 *
 * @param open claims of the batch that hold nothing of the node yet
 * @param matching devices of the node that each open claim could have, were they free, as bits
 * @param demands of the open claims, in their order
 */
record Room(
    NodeLedger ledger,
    PodRequest request,
    ImmutableList<ClaimRequest> open,
    ImmutableLongArray matching,
    Demands demands) {

  static Room of(NodeLedger ledger, PodRequest request, ImmutableList<ClaimRequest> open) {
    long[] matching = new long[open.size()];
    long[] candidates = new long[open.size()];
    int[] wanted = new int[open.size()];
    for (int i = 0; i < wanted.length; i++) {
      matching[i] = open.get(i).only().condition().matching(ledger.inventory());
      long free = matching[i] & ledger.freeMask();
      candidates[i] = free & ~Taints.repelling(ledger.inventory(), open.get(i), free);
      wanted[i] = open.get(i).only().count();
    }
    return new Room(
        ledger,
        request,
        open,
        ImmutableLongArray.copyOf(matching),
        new Demands(candidates, wanted));
  }

  /** Empty when all open claims can have their devices at once. */
  Optional<Placement.DoesNotFit> refusal() {
    ImmutableMap<ClaimUid, Reason> reasons = reasons();
    return reasons.isEmpty() ? Optional.empty() : Optional.of(new Placement.DoesNotFit(reasons));
  }

  private ImmutableMap<ClaimUid, Reason> reasons() {
    Optional<Refusal> node = Obstacles.ofNode(ledger);
    if (node.isPresent()) {
      return each(i -> node);
    }
    ImmutableMap<ClaimUid, Reason> alone = each(this::alone);
    if (!alone.isEmpty() || demands.satisfiable()) {
      return alone;
    }
    ImmutableList<ClaimRef> all = request.refs();
    return each(i -> Optional.of(new Refusal.NotTogether(open.get(i).ref(), all)));
  }

  private Optional<Refusal> alone(int claim) {
    return Obstacles.ofClaim(ledger, open.get(claim))
        .or(
            () ->
                Shortage.of(
                    ledger, open.get(claim), matching.get(claim), demands.candidates(claim)));
  }

  private ImmutableMap<ClaimUid, Reason> each(IntFunction<Optional<Refusal>> reason) {
    ImmutableMap.Builder<ClaimUid, Reason> reasons = ImmutableMap.builder();
    for (int i = 0; i < open.size(); i++) {
      ClaimUid claim = open.get(i).uid();
      reason.apply(i).ifPresent(refusal -> reasons.put(claim, refusal));
    }
    return reasons.buildOrThrow();
  }
}
