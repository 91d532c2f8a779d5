/**
 * Puts the actors around an API server together. Start with {@link
 * io.gpudra.simulator.cluster.Actors}.
 */
@NullMarked
package io.gpudra.simulator.cluster;

import org.jspecify.annotations.NullMarked;
