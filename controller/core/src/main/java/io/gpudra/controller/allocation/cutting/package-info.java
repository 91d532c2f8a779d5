/**
 * How GPUs can be cut into MIG devices: start at {@code Cuts}. A {@code Layout} is what is on a GPU
 * and what could be made beside it; layouts of GPUs of one kind are found out once.
 *
 * <p>What must stay true: which layouts there are is asked of {@code crds.usage} alone; no node, no
 * claim.
 */
@NullMarked
package io.gpudra.controller.allocation.cutting;

import org.jspecify.annotations.NullMarked;
