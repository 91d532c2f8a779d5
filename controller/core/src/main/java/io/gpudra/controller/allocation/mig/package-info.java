/**
 * Computes how GPUs can be divided into MIG devices: start at {@code MigLayouts}. A {@code
 * MigLayout} has the instances on a GPU and those that fit beside them, computed once for each kind
 * of GPU.
 *
 * <p>What must stay true: only {@code crds.usage} decides which layouts are possible; this package
 * knows no node and no claim.
 */
@NullMarked
package io.gpudra.controller.allocation.mig;

import org.jspecify.annotations.NullMarked;
