/**
 * Allocates and deallocates claims: {@code Allocator} handles a pod's claims as one {@code Batch}
 * of {@code BatchMember}s, {@code GrantWriter} writes each, {@code WriteRejectionBackoff} backs off
 * from claims that the server rejected, {@code Deallocator} deallocates, {@link
 * io.gpudra.controller.dra.allocator.LeaderFence} is the fence of a new leader.
 *
 * <p>What must stay true: a claim UID has at most one owner ({@code ClaimLocks}); finalizer before
 * status; a device is released only when no write that grants it can still land.
 */
@NullMarked
package io.gpudra.controller.dra.allocator;

import org.jspecify.annotations.NullMarked;
