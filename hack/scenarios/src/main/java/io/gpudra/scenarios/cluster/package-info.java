/**
 * A whole cluster on one machine: the doubles of {@code gpudra-simulator} in this JVM, the shipped
 * controller and kubelet plugins as processes of their own. Start at {@link
 * io.gpudra.scenarios.cluster.LocalCluster}.
 */
@NullMarked
package io.gpudra.scenarios.cluster;

import org.jspecify.annotations.NullMarked;
