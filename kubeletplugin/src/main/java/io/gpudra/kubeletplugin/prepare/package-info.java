/**
 * Decides which devices the node holds for claims. Start at {@link
 * io.gpudra.kubeletplugin.prepare.ClaimPreparer}; {@link
 * io.gpudra.kubeletplugin.prepare.StartupRecovery} creates one from the state that an earlier
 * process left. The requests of callers are in {@code call}, the changes to the node in {@code
 * step}.
 *
 * <p>What must stay true: the parts of a GPU that claims hold fit together according to {@code
 * crds.usage}. This is decided under one lock and written down before any device is changed.
 * Devices that a container may use are undone only when the kubelet calls, or, for a lost claim,
 * when {@link io.gpudra.kubeletplugin.prepare.LostClaimReclaimer} knows that no container can have
 * them. Waiting for a device holds no lock that releasing it needs. Only a claim for which the
 * kubelet may have an old handle is read from the API server, and then the server's answer counts.
 */
@NullMarked
package io.gpudra.kubeletplugin.prepare;

import org.jspecify.annotations.NullMarked;
