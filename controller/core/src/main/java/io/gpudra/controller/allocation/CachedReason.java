package io.gpudra.controller.allocation;

import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.NamespaceAudience;

/**
 * A reason of a node that may be kept: its text describes the node as it is when it is read. A
 * reason with its own ledger would keep old states of the node in memory while a claim waits or an
 * event is pending.
 */
record CachedReason(LedgerStore store, String node, NodeRefusal reason)
    implements UnsuitableReason {
  private static final NodeLedger NOWHERE = NodeLedger.unknown("");

  /** The same reason, without a ledger. */
  static UnsuitableReason of(LedgerStore store, String node, UnsuitableReason reason) {
    return reason instanceof NodeRefusal refusal
        ? new CachedReason(store, node, refusal.on(NOWHERE))
        : reason;
  }

  @Override
  public Kind kind() {
    return reason.kind();
  }

  @Override
  public String text(NamespaceAudience reader) {
    return reason.on(store.ledger(node)).text(reader);
  }

  @Override
  public long bytes() {
    return reason.bytes();
  }

  @Override
  public int shortfall() {
    return reason.shortfall();
  }
}
