/**
 * A node's inventory between the object that the API server stores and the model: start at {@link
 * io.gpudra.crds.inventory.Inventories}.
 *
 * <p>What must stay true: reading what was written gives the same inventory; reading never throws
 * and says of everything it skipped where it stands; where it skips something, the node has less to
 * give afterwards, never more. What a version that knows only whole GPUs wrote is read as it meant.
 */
@NullMarked
package io.gpudra.crds.inventory;

import org.jspecify.annotations.NullMarked;
