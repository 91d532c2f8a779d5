/**
 * Decides when keys are reconciled: {@link io.gpudra.controller.dra.queue.Requeuer} turns events
 * into keys, {@code WaitQueue} keeps the work that waits for devices in order of priority and age,
 * {@code DeviceOffers} requeues the first waiters when devices become free. A reconciler opens a
 * {@code Turn} before it evaluates a waiter, and reports a refusal to it.
 *
 * <p>What must stay true: no freed device is missed; the cost of freed devices does not grow with
 * the number of waiters.
 */
@NullMarked
package io.gpudra.controller.dra.queue;

import org.jspecify.annotations.NullMarked;
