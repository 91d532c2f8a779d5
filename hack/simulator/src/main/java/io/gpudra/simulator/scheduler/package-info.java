/**
 * kube-scheduler 1.30 for pods with resource claims (protocol.md 3.1, 3.2): {@link
 * io.gpudra.simulator.scheduler.Scheduler} is the queue, {@code Attempt} is one scheduling attempt.
 * Queueing hints are off, as in the releases: every change retries all waiting pods, each after its
 * own back-off.
 */
@NullMarked
package io.gpudra.simulator.scheduler;

import org.jspecify.annotations.NullMarked;
