/**
 * Finds devices for several claims at once on one node: start at {@code Finder}, which goes through
 * the alternatives, and {@code Search}, which serves the {@code Demand}s of one choice. A {@code
 * Site} is a GPU before anything is chosen, a {@code State} after; {@code Inner} says what may be
 * carved out of what other claims have; {@code Exchange} prefers linked GPUs to equal ones that
 * were found.
 *
 * <p>What must stay true: exact within a budget, deterministic; whether parts fit together is asked
 * of {@code crds.usage} and {@code cutting} alone.
 */
@NullMarked
package io.gpudra.controller.allocation.search;

import org.jspecify.annotations.NullMarked;
