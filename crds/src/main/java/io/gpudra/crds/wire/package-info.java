/**
 * What the handle and the inventory both say, as records: start at {@link
 * io.gpudra.crds.wire.Parts}, which turns the parts of one claim into entries and back.
 *
 * <p>What must stay true: an entry of a whole GPU with nothing to say about it has the keys of
 * handle format 1 and no other; what is read is checked, so that sums over it cannot overflow.
 */
@NullMarked
package io.gpudra.crds.wire;

import org.jspecify.annotations.NullMarked;
