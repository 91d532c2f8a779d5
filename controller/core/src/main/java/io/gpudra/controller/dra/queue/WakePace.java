package io.gpudra.controller.dra.queue;

import io.gpudra.controller.loop.ControllerDelays;

/** The times at which a node may wake waiters: its inventory may free devices at any rate. */
final class WakePace {
  private static final long WAKES_NANOS = ControllerDelays.WAKES_OF_A_NODE.toNanos();

  long next;

  WakePace(long now) {
    next = now - WAKES_NANOS;
  }

  /** The nanoseconds until the next waiter is woken. */
  long delay(long now) {
    next = now + Math.max(next - now, -WAKES_NANOS) + WAKES_NANOS / DeviceOffers.WAKES;
    return Math.max(next - now, 0);
  }
}
