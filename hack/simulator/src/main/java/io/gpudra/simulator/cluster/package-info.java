/**
 * Connects the actors with an API server. Start with {@link io.gpudra.simulator.cluster.Actors}.
 */
@NullMarked
package io.gpudra.simulator.cluster;

import org.jspecify.annotations.NullMarked;
