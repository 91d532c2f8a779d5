/**
 * The kinds that are served: names, traits, columns and the interface of their rules. Start at
 * {@link io.gpudra.simulator.kinds.Kind}.
 */
@NullMarked
package io.gpudra.simulator.kinds;

import org.jspecify.annotations.NullMarked;
