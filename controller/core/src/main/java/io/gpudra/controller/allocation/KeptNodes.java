package io.gpudra.controller.allocation;

import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.HoldOwner;
import java.util.Optional;

/** Nodes on which some devices are kept for others. Immutable, and asked without a lock. */
public interface KeptNodes {

  /** Nothing is kept. */
  KeptNodes NONE =
      new KeptNodes() {
        @Override
        public boolean concern(String node) {
          return false;
        }

        @Override
        public boolean concern(String node, PodRequest request) {
          return false;
        }

        @Override
        public Optional<UnsuitableReason> refuse(
            NodeLedger seen, NodeLedger next, PodRequest request, HoldOwner owner) {
          return Optional.empty();
        }
      };

  /** Whether something is kept on the node. */
  boolean concern(String node);

  /** Whether something is kept from such a request; nothing is searched for. */
  boolean concern(String node, PodRequest request);

  /**
   * The reason against a commit that makes the next ledger of this one. Of two ranks that nodes
   * {@link #concern}, none gets another answer.
   */
  Optional<UnsuitableReason> refuse(
      NodeLedger seen, NodeLedger next, PodRequest request, HoldOwner owner);
}
