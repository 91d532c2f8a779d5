package io.gpudra.controller.allocation;

import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.PodRequest;
import java.util.Optional;

/**
 * Limits the searches that a commit loses to reports of nodes. A search that is lost to another
 * commit is the progress of that one, but a node may report changes forever. Confined to one
 * thread.
 */
final class SearchRetries {
  private static final int MAX_CHANGES = 3;

  private final LedgerStore store;
  private final PodRequest request;
  private int changes;

  SearchRetries(LedgerStore store, PodRequest request) {
    this.store = store;
    this.request = request;
  }

  /** The refusal of a node that is not searched again; empty when it is. */
  Optional<CommitResult> refusal(NodeLedger seen) {
    boolean changed = !store.ledger(seen.node()).inventory().equals(seen.inventory());
    return changed && ++changes >= MAX_CHANGES
        ? Optional.of(
            CommitResult.notJudged(seen.node(), request, "it changed while it was searched"))
        : Optional.empty();
  }
}
