/**
 * Many more pods than GPUs on an embedded cluster, and what that costs the shipped controller.
 * Start at {@link io.gpudra.scenarios.load.Load}.
 */
@NullMarked
package io.gpudra.scenarios.load;

import org.jspecify.annotations.NullMarked;
