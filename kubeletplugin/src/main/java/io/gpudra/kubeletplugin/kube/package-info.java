/**
 * The plugin's only place that sees the API server: {@link
 * io.gpudra.kubeletplugin.kube.InventoryPublisher} says what the node has and holds, {@link
 * io.gpudra.kubeletplugin.kube.ClaimReader} reads single claims, {@link
 * io.gpudra.kubeletplugin.kube.LiveClaims} asks with it which held claims still exist.
 *
 * <p>What must stay true: no informer, no watch, no list; every call ends within seconds; of an
 * answer only what is used is kept in memory, however large it is; nothing here is needed to
 * unprepare a claim, or to prepare one, with two exceptions: a claim for which the kubelet may have
 * an old handle is read once, and a kubelet before 1.28 hears of the plugin after a boot only when
 * the claims that it takes for prepared have been read.
 */
@NullMarked
package io.gpudra.kubeletplugin.kube;

import org.jspecify.annotations.NullMarked;
