/**
 * Adapts a real cluster with the driver to {@link io.gpudra.scenarios.run}. Start at {@link
 * io.gpudra.scenarios.real.RealCluster}.
 *
 * <p>It uses {@code kubectl proxy} for authentication, the logs of containers for their
 * environments, and {@code hack/cluster/node} for the nodes' disks.
 */
@NullMarked
package io.gpudra.scenarios.real;

import org.jspecify.annotations.NullMarked;
