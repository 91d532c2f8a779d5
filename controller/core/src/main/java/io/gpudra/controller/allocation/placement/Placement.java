package io.gpudra.controller.allocation.placement;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;

/** A proposal for all claims of a batch on one node, or the refusal. */
public sealed interface Placement {

  /** Devices for every claim of the batch, each list in the order of the node's devices. */
  record Fits(ImmutableMap<ClaimUid, ImmutableList<GrantedDevice>> devices) implements Placement {}

  /** A reason for each claim that does not fit, at least one; claims without a reason would fit. */
  record DoesNotFit(ImmutableMap<ClaimUid, UnsuitableReason> reasons) implements Placement {

    /** The same reason for all claims. */
    public static DoesNotFit of(PodRequest request, UnsuitableReason why) {
      return new DoesNotFit(
          request.claims().stream().collect(toImmutableMap(ClaimRequest::uid, claim -> why)));
    }

    /** The answer of a node whose evaluation failed. */
    public static DoesNotFit notEvaluated(PodRequest request, String why) {
      return of(request, NodeRefusal.notEvaluated(why));
    }

    /** The same answer for a node with an equal fingerprint. */
    public DoesNotFit on(NodeLedger ledger) {
      return new DoesNotFit(
          ImmutableMap.copyOf(Maps.transformValues(reasons, reason -> on(ledger, reason))));
    }

    /** The same reason for a node with an equal fingerprint. */
    public static UnsuitableReason on(NodeLedger ledger, UnsuitableReason reason) {
      return reason instanceof NodeRefusal refusal ? refusal.on(ledger) : reason;
    }
  }
}
