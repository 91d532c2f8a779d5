package io.gpudra.controller.group;

import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import java.util.Optional;

/**
 * The nodes that are kept for a group; moments in monotonic nanoseconds.
 *
 * @param since the first of its plans
 * @param until the end of its time
 * @param missed when the group began to have no plan, if it has none
 */
record NodeReservation(ReservedNodes nodes, long since, long until, Optional<Long> missed) {
  Waiter group() {
    return nodes.group();
  }

  NodeReservation missed(Optional<Long> from) {
    return new NodeReservation(nodes, since, until, from);
  }
}
