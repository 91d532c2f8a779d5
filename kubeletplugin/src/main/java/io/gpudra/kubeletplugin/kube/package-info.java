/**
 * The plugin's only place that sees the API server: {@link
 * io.gpudra.kubeletplugin.kube.InventoryPublisher} says what the node has and holds, {@link
 * io.gpudra.kubeletplugin.kube.LiveClaims} asks which held claims still exist.
 *
 * <p>What must stay true: no informer, no watch, no list; every call ends within seconds; nothing
 * here is needed to prepare or unprepare a claim.
 */
@NullMarked
package io.gpudra.kubeletplugin.kube;

import org.jspecify.annotations.NullMarked;
