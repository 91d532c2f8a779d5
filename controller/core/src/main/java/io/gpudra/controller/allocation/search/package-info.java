/**
 * Finds devices for several claims at once on one node: start at {@code Finder}, which goes through
 * the alternatives, and {@code Search}, which serves the {@code Demand}s of one choice. A {@code
 * Site} is a GPU before any choice, a {@code State} after; {@code Inner} finds parts to carve out
 * of other claims' devices; {@code Exchange} replaces found GPUs by linked ones.
 *
 * <p>What must stay true: results are exact within a budget and deterministic; only {@code
 * crds.usage} and {@code cutting} decide whether parts fit together.
 */
@NullMarked
package io.gpudra.controller.allocation.search;

import org.jspecify.annotations.NullMarked;
