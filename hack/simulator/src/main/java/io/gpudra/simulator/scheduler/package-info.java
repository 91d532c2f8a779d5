/**
 * kube-scheduler 1.30 as far as pods with resource claims see it (protocol.md 3.1, 3.2): {@link
 * io.gpudra.simulator.scheduler.Scheduler} decides when a pod is tried, {@code Attempt} is one try.
 * Queueing hints are off, as in the releases: every change tries all waiting pods again, each after
 * its own back-off.
 */
@NullMarked
package io.gpudra.simulator.scheduler;

import org.jspecify.annotations.NullMarked;
