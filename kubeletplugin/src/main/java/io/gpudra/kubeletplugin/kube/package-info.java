/**
 * The plugin's only access to the API server: {@link
 * io.gpudra.kubeletplugin.kube.InventoryPublisher} publishes the devices and holdings of the node,
 * {@link io.gpudra.kubeletplugin.kube.ClaimReader} reads single claims, {@link
 * io.gpudra.kubeletplugin.kube.LiveClaims} uses it to find held claims that no longer exist.
 *
 * <p>What must stay true: no informer, no watch, no list. Every call ends within seconds. Only the
 * used fields of an answer are kept in memory. Nothing here is needed to prepare or unprepare a
 * claim, with two exceptions: a claim for which the kubelet may have an old handle is read once,
 * and a kubelet before 1.28 sees the plugin after a boot only after the claims that it considers
 * prepared have been read.
 */
@NullMarked
package io.gpudra.kubeletplugin.kube;

import org.jspecify.annotations.NullMarked;
