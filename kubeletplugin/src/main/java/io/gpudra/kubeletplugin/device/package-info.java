/**
 * The node's GPUs: on paper here, those of NVIDIA's driver in {@code nvidia}, which reaches it
 * through {@code nvml}. Start at {@link io.gpudra.kubeletplugin.device.Devices}. A {@link
 * io.gpudra.kubeletplugin.device.Profile} is a YAML file of {@code profiles/} on the class path, or
 * one of somebody's own.
 *
 * <p>A process begins with {@link io.gpudra.kubeletplugin.device.LateDevices}: until a driver can
 * be used, {@link io.gpudra.kubeletplugin.device.AbsentDevices} say why, and what a claim holds
 * stays held.
 *
 * <p>What must stay true: a device knows nothing of claims, and what it refuses on paper is what a
 * real one refuses. MPS servers are in {@code mps}.
 */
@NullMarked
package io.gpudra.kubeletplugin.device;

import org.jspecify.annotations.NullMarked;
