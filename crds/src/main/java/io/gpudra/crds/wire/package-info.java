/**
 * The common content of handle and inventory as records: start at {@link
 * io.gpudra.crds.wire.WireDevices}, which turns the parts of one claim into entries and back.
 *
 * <p>What must stay true: an entry of a whole GPU without settings has the keys of handle format 1
 * and no others. Entries are checked when read, so that sums over them cannot overflow.
 */
@NullMarked
package io.gpudra.crds.wire;

import org.jspecify.annotations.NullMarked;
