/** Measures speed and size against budgets: {@code hack/bench/run}. */
@NullMarked
package io.gpudra.bench;

import org.jspecify.annotations.NullMarked;
