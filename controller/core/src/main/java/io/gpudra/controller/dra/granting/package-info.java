/**
 * From reservation to grant and back: {@code Allocator} carries a pod's claims as one {@code Batch}
 * of {@code Member}s, {@code GrantWriter} writes each, {@code Rejections} has those leave be that
 * the server refused, {@code Releases} takes grants back, {@link
 * io.gpudra.controller.dra.granting.Takeover} is the fence of a new leader.
 *
 * <p>What must stay true: a claim UID has at most one owner ({@code Ownership}); finalizer before
 * status; a device is given back only when no write that grants it can still land.
 */
@NullMarked
package io.gpudra.controller.dra.granting;

import org.jspecify.annotations.NullMarked;
