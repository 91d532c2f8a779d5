/**
 * A whole cluster on one machine: the simulator in this JVM, and the shipped controller and kubelet
 * plugins in their own processes. Start at {@link io.gpudra.scenarios.cluster.LocalCluster}.
 */
@NullMarked
package io.gpudra.scenarios.cluster;

import org.jspecify.annotations.NullMarked;
