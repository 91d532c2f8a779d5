/**
 * Computes how GPUs can be cut into MIG devices: start at {@code MigLayouts}. A {@code MigLayout}
 * has the instances on a GPU and those that fit beside them, computed once for each kind of GPU.
 *
 * <p>What must stay true: only {@code crds.usage} decides which layouts are possible; no node, no
 * claim.
 */
@NullMarked
package io.gpudra.controller.allocation.cutting;

import org.jspecify.annotations.NullMarked;
