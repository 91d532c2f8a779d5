/**
 * Structural schemas of custom resources: pruning, defaults, validation with the messages of a real
 * 1.30, CEL rules. Start at {@link io.gpudra.simulator.schema.Schema}.
 */
@NullMarked
package io.gpudra.simulator.schema;

import org.jspecify.annotations.NullMarked;
