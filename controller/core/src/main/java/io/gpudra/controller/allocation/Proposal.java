package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placing.Placement;
import io.gpudra.controller.allocation.refusal.Cause;
import io.gpudra.controller.allocation.refusal.Refusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Owner;
import io.gpudra.crds.model.Reason;
import java.util.Optional;

/** A placement and the ledger it was found in: holds only as long as that is the newest. */
record Proposal(NodeLedger seen, Placement.Fits placement) {

  /** The grants in the order of the batch; what is in flight already keeps its grant. */
  ImmutableList<Grant> grants(PodRequest request, Stamp stamp) {
    return request.claims().stream()
        .map(claim -> inFlight(claim, stamp))
        .collect(ImmutableList.toImmutableList());
  }

  /** What keeps the claims whose grants no handle can carry; nothing of the batch is held then. */
  Optional<Placement.DoesNotFit> unwritable(ImmutableList<Grant> grants) {
    ImmutableMap<ClaimUid, Reason> reasons =
        grants.stream()
            .filter(grant -> !HandleCodec.fits(grant))
            .collect(ImmutableMap.toImmutableMap(Grant::claim, Proposal::tooLarge));
    return reasons.isEmpty() ? Optional.empty() : Optional.of(new Placement.DoesNotFit(reasons));
  }

  private static Reason tooLarge(Grant grant) {
    return Refusal.stated(
        Cause.HANDLE_TOO_LARGE,
        "the names of %s GPUs of %s take more than the %s bytes of a handle",
        grant.devices().size(),
        grant.node(),
        HandleCodec.MAX_BYTES);
  }

  private Grant inFlight(ClaimRequest claim, Stamp stamp) {
    Hold hold = seen.holds().get(claim.uid());
    return hold == null
        ? grant(claim, stamp)
        : hold.inFlight().map(Hold.InFlight::grant).orElseThrow();
  }

  private Grant grant(ClaimRequest claim, Stamp stamp) {
    ImmutableMap<?, ImmutableList<GrantedDevice>> devices = placement.devices();
    ImmutableList<GrantedDevice> own = devices.get(claim.uid());
    if (own == null) {
      throw new IllegalStateException("placement leaves out claim " + claim.ref());
    }
    return new Grant(claim.uid(), seen.node(), stamp.epoch(), claim.generation(), stamp.at(), own);
  }

  /** The ledger with all claims of the batch in flight. */
  NodeLedger committed(PodRequest request, ImmutableList<Grant> grants, Owner owner) {
    NodeLedger next = seen;
    for (int i = 0; i < grants.size(); i++) {
      ClaimRequest claim = request.claims().get(i);
      if (!seen.holds().containsKey(claim.uid())) {
        next = next.committed(claim.ref(), grants.get(i), owner);
      }
    }
    return next;
  }
}
