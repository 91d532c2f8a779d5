/** Measures what the design promises: {@code hack/bench/run}. */
@NullMarked
package io.gpudra.bench;

import org.jspecify.annotations.NullMarked;
