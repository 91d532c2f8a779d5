package io.gpudra.controller.allocation;

import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.allocation.refusal.UnsuitableReason;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.Reason;

/**
 * A reason of a node that may be kept: its text describes the node as it is when it is read. A
 * reason with its own ledger would keep old states of the node in memory while a claim waits or an
 * event is pending.
 */
record CachedReason(LedgerStore store, String node, NodeRefusal reason) implements NodeRefusal {
  private static final NodeLedger NOWHERE = NodeLedger.unknown("");

  /** The same reason, without a ledger. */
  static Reason of(LedgerStore store, String node, Reason reason) {
    if (!(reason instanceof NodeRefusal refusal) || refusal instanceof CachedReason) {
      return reason;
    }
    NodeRefusal bare = refusal.on(NOWHERE);
    return isSame(bare, refusal) ? refusal : new CachedReason(store, node, bare);
  }

  @SuppressWarnings("ReferenceEquality") // One without a ledger answers itself.
  private static boolean isSame(NodeRefusal bare, NodeRefusal refusal) {
    return bare == refusal;
  }

  @Override
  public UnsuitableReason cause() {
    return reason.cause();
  }

  @Override
  public String text(NamespaceAudience reader) {
    return reason.on(store.ledger(node)).text(reader);
  }

  @Override
  public int shortfall() {
    return reason.shortfall();
  }
}
