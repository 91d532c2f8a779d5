/**
 * Decides what the node holds for claims. Start at {@link
 * io.gpudra.kubeletplugin.prepare.ClaimPreparer}; {@link
 * io.gpudra.kubeletplugin.prepare.StartupRecovery} makes one from what an earlier process left. The
 * requests of callers are in {@code call}, the changes to the node in {@code step}.
 *
 * <p>What must stay true: the parts of a GPU that claims hold fit together, as {@code crds.usage}
 * says. This is decided under one lock and written down before anything is touched. Devices that a
 * container may use are undone only when the kubelet asks, or, for a lost claim, when {@link
 * io.gpudra.kubeletplugin.prepare.LostClaimReclaimer} knows that no container can have them.
 * Waiting for a device holds no lock that releasing it needs. The API server is asked only about a
 * claim for which the kubelet may have an old handle, and then the server's answer counts.
 */
@NullMarked
package io.gpudra.kubeletplugin.prepare;

import org.jspecify.annotations.NullMarked;
