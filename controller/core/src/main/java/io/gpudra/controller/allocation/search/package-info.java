/**
 * Finds devices for several claims at once on one node: start at {@code PlacementSearch}, which
 * goes through the alternatives, and {@code DepthFirstSearch}, which serves the demands ({@code
 * RequestCandidates}) of one choice. A {@code GpuCandidate} is a GPU before any choice, a {@code
 * GpuSearchState} after; {@code NestedPlacement} finds parts to carve out of other claims' devices;
 * {@code LinkedGpuSwap} replaces found GPUs by linked ones.
 *
 * <p>What must stay true: results are exact within a budget and deterministic; only {@code
 * crds.usage} and {@code mig} decide whether parts fit together.
 */
@NullMarked
package io.gpudra.controller.allocation.search;

import org.jspecify.annotations.NullMarked;
