package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.NodeRanking.Proposal;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement.DoesNotFit;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.HoldOwner;
import java.util.Optional;

/** A proposal with its grants, and with the ledger that they make of its node. */
record CommitDraft(
    Proposal proposal,
    PodRequest request,
    HoldOwner owner,
    ImmutableList<Grant> grants,
    NodeLedger next) {

  static CommitDraft of(
      Proposal proposal, PodRequest request, HoldOwner owner, GrantAudit grantAudit) {
    ImmutableList<Grant> grants = proposal.grants(request, grantAudit);
    return new CommitDraft(
        proposal, request, owner, grants, proposal.committed(request, grants, owner));
  }

  NodeLedger seen() {
    return proposal.seen();
  }

  /** The refusal of a proposal that must not be held. */
  Optional<DoesNotFit> refusal(KeptNodes keptNodes) {
    Optional<DoesNotFit> unwritable = proposal.unwritable(grants);
    return unwritable.isPresent()
        ? unwritable
        : kept(keptNodes).map(why -> DoesNotFit.of(request, why));
  }

  /** Whether all claims hold devices already, as after a write without an answer. */
  private boolean isHeld() {
    return request.claims().stream().allMatch(claim -> seen().holds().containsKey(claim.uid()));
  }

  /** The reason against it on behalf of those for whom the node is kept. */
  Optional<UnsuitableReason> kept(KeptNodes keptNodes) {
    return keptNodes.concern(seen().node()) && !isHeld()
        ? keptNodes.refuse(seen(), next, request, owner)
        : Optional.empty();
  }
}
