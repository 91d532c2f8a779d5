package io.gpudra.controller.allocation;

import io.gpudra.controller.allocation.ledger.DoubleGrant;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;

/** Called after a change of the ledgers, by the thread that changed them, without a lock. */
public interface LedgerListener {

  /** This number of devices of the node can be allocated now, or to more claims than before. */
  void freed(String node, int devices);

  /** A claim of this name is not prepared on the node any more. */
  void nameReleased(String node, ClaimRef claim);

  /** The node holds and prepares no device for this claim any more. */
  default void holdsGone(ClaimUid claim) {}

  /**
   * The node holds no device for this claim any more.
   *
   * @param had the node's ledger before the change
   */
  default void released(NodeLedger had, ClaimUid claim) {}

  /** A device is in a new double grant. */
  void grantedTwice(DoubleGrant doubleGrant);

  /** A claim of a double grant can be deallocated now; see {@link NodeLedger#surplus}. */
  void surplusFound(ClaimRef claim);
}
