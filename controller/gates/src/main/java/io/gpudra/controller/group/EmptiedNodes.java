package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.controller.allocation.ledger.FaultIsolation;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimRef;
import java.util.Collection;
import java.util.stream.Stream;

/**
 * Nodes as if only the pods of one group that started before had devices there. A node that is as
 * it was has the ledger that it had, so that what {@link NodeCapacities} know of it outlives a plan
 * that ran out of time. Usable from any thread.
 */
final class EmptiedNodes {
  /** By node, while there is memory. */
  private final Cache<String, NodeLedger> known = CacheBuilder.newBuilder().softValues().build();

  /**
   * The nodes, in their order, without those that cannot be evaluated.
   *
   * @param staying claims of the pods that started before
   */
  ImmutableList<NodeLedger> of(ImmutableList<NodeLedger> nodes, ImmutableSet<ClaimRef> staying) {
    retain(nodes);
    return nodes.stream()
        .flatMap(
            node ->
                FaultIsolation.evaluate(
                    () -> Stream.of(known(emptied(node, staying))), why -> Stream.of()))
        .collect(ImmutableList.toImmutableList());
  }

  private void retain(Collection<NodeLedger> nodes) {
    known
        .asMap()
        .keySet()
        .retainAll(nodes.stream().map(NodeLedger::node).collect(toImmutableSet()));
  }

  private static NodeLedger emptied(NodeLedger node, ImmutableSet<ClaimRef> staying) {
    return node.only(
        Maps.filterValues(node.holds(), hold -> staying.contains(hold.ref())).keySet());
  }

  private NodeLedger known(NodeLedger now) {
    return known
        .asMap()
        .merge(now.node(), now, (before, same) -> before.equals(now) ? before : now);
  }

  /** The number of nodes that are remembered. */
  long size() {
    return known.size();
  }
}
