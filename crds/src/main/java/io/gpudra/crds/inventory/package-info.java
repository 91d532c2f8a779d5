/**
 * Converts a node's inventory between the stored object and the model: start at {@link
 * io.gpudra.crds.inventory.InventoryCodec}.
 *
 * <p>What must stay true: reading a written inventory gives the same inventory. Reading never
 * throws and reports the path of everything it skipped. A skipped entry leaves the node less to
 * allocate, never more. An inventory from a version that knows only whole GPUs keeps its meaning.
 */
@NullMarked
package io.gpudra.crds.inventory;

import org.jspecify.annotations.NullMarked;
