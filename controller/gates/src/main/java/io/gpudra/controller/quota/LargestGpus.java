package io.gpudra.controller.quota;

import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.node.Gpu;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * The memory of the largest GPU that two nodes have reported: a node alone, which may report
 * anything, raises no charge of claims on others. Of a single node its own counts. Usable from any
 * thread; changed by one at a time.
 */
final class LargestGpus {
  private static final NodeMost NONE = new NodeMost("", 0);

  /** The two nodes that reported most, the largest first. */
  private record Most(NodeMost first, NodeMost second) {}

  private record NodeMost(String node, long bytes) {}

  private volatile Most most = new Most(NONE, NONE);

  long bytes() {
    Most now = most;
    return now.second().bytes() > 0 ? now.second().bytes() : now.first().bytes();
  }

  void seen(NodeLedger ledger) {
    long bytes = ledger.inventory().gpus().stream().mapToLong(Gpu::memoryBytes).max().orElse(0);
    if (bytes > most.second().bytes()) {
      most = with(new NodeMost(ledger.node(), bytes));
    }
  }

  private Most with(NodeMost seen) {
    NodeMost[] largest =
        Stream.of(seen, most.first(), most.second())
            .sorted(Comparator.comparingLong(NodeMost::bytes).reversed())
            .toArray(NodeMost[]::new);
    return largest[0].node().equals(largest[1].node())
        ? new Most(largest[0], largest[2])
        : new Most(largest[0], largest[1]);
  }
}
