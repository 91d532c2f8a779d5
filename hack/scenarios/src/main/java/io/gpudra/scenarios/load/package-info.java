/**
 * Measures the shipped controller with many more pods than GPUs on an embedded cluster. Start at
 * {@link io.gpudra.scenarios.load.Load}.
 */
@NullMarked
package io.gpudra.scenarios.load;

import org.jspecify.annotations.NullMarked;
