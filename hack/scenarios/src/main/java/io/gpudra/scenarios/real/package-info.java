/**
 * A real cluster with the driver installed, seen as {@link io.gpudra.scenarios.run} wants to see
 * it. Start at {@link io.gpudra.scenarios.real.RealCluster}.
 *
 * <p>The API server is reached through {@code kubectl proxy}, which knows how to log in; what
 * containers saw is what they printed; the nodes' disks are looked at by {@code hack/cluster/node}.
 */
@NullMarked
package io.gpudra.scenarios.real;

import org.jspecify.annotations.NullMarked;
