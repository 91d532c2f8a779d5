package io.gpudra.controller.view.explain;

import io.gpudra.controller.gate.group.KeptNodesNotice;
import io.gpudra.controller.view.AgeText;
import java.time.Instant;

/**
 * The group for which nodes are kept, as the latest event on its members says.
 *
 * @param priority the lowest of its members at their gates
 */
public record GroupWithNodes(String namespace, String group, int priority, KeptNodesNotice notice) {

  /** The end of the time for which they are kept. */
  public Instant until() {
    return notice.until();
  }

  /** The names of the nodes, or their number. */
  public String nodes() {
    return notice.nodes();
  }

  /** A sentence about the nodes, and who else gets room there. */
  public String text(Instant now) {
    return ("nodes are kept for group %s/%s until %s (for %s): %s; younger pods of priority %d or"
            + " lower get only what it does not need there")
        .formatted(namespace, group, until(), AgeText.between(now, until()), nodes(), priority);
  }
}
