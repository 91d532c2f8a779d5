/**
 * Chooses devices for the claims of one pod on one node, or explains why none fit: start at {@code
 * PodPlacer}. Claims for whole GPUs only are matched ({@code WholeGpuMatching}), all others use a
 * search ({@code PartitionPlacer}); {@code PartitionShortage} explains what was missing, with the
 * texts of {@code NearMissText}.
 *
 * <p>What must stay true: it is a pure function of a ledger and a request, with a budget; within
 * the budget, the answer is exact and does not depend on the order of the inputs; texts are built
 * only when they are read.
 */
@NullMarked
package io.gpudra.controller.allocation.placement;

import org.jspecify.annotations.NullMarked;
