package io.gpudra.controller.allocation;

import io.gpudra.controller.allocation.ledger.DoubleGrant;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;

/** Told after the ledgers changed, by the thread that changed them, while no lock is held. */
public interface LedgerListener {

  /** So many devices of the node can be granted now that could not be before, or to more. */
  void freed(String node, int devices);

  /** A claim that is known by this name is not prepared on some node any more. */
  void nameFree(ClaimRef claim);

  /** Nothing of the node is held or prepared for this claim any more. */
  default void left(ClaimUid claim) {}

  /**
   * The node holds nothing for this claim any more.
   *
   * @param had the node just before
   */
  default void released(NodeLedger had, ClaimUid claim) {}

  /** A device turned out to be granted to more claims than before. */
  void grantedTwice(DoubleGrant doubleGrant);

  /** A grant of those has become one that can be taken back; see {@link NodeLedger#surplus}. */
  void surplus(ClaimRef claim);
}
