package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ImmediateNodeCache.NodeAnswers;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The nodes among which the best is chosen.
 *
 * @param nodes absent: all
 * @param but nodes that are reserved for other waiters
 */
record SearchedNodes(Optional<ImmutableSet<String>> nodes, Supplier<ImmutableSet<String>> but) {
  NodeAnswers verdict(ImmediateNodeCache immediateNodeCache, ClaimRequest claim) {
    NodeAnswers all =
        nodes
            .map(some -> immediateNodeCache.of(claim, some))
            .orElseGet(() -> immediateNodeCache.of(claim));
    return all.but(but.get());
  }

  Stream<NodeLedger> candidates(LedgerStore store) {
    ImmutableSet<String> others = but.get();
    return nodes
        .map(some -> ledgers(store, some))
        .orElseGet(() -> store.all().stream())
        .filter(ledger -> !others.contains(ledger.node()));
  }

  static Stream<NodeLedger> ledgers(LedgerStore store, ImmutableSet<String> nodes) {
    return nodes.stream().flatMap(node -> store.find(node).stream());
  }
}
