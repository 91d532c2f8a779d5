/**
 * The grant on the wire: {@link io.gpudra.crds.handle.HandleCodec} turns a {@link
 * io.gpudra.crds.model.Grant} into the text of {@code status.allocation.resourceHandles[].data} and
 * back (api.md 6.1).
 *
 * <p>What must stay true: a reader refuses a higher format version and ignores unknown keys of its
 * own; no handle is longer than 16,384 bytes of UTF-8; reading never throws.
 */
@NullMarked
package io.gpudra.crds.handle;

import org.jspecify.annotations.NullMarked;
