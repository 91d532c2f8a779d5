/**
 * The node's GPUs: fake ones here, those of NVIDIA's driver in {@code nvidia}, which reaches the
 * driver through {@code nvml}. Start at {@link io.gpudra.kubeletplugin.device.GpuDevices}. A {@link
 * io.gpudra.kubeletplugin.device.FakeNodeProfile} is a YAML file of {@code profiles/} on the class
 * path, or a custom one.
 *
 * <p>A process begins with {@link io.gpudra.kubeletplugin.device.DeferredDevices}: until a driver
 * can be used, {@link io.gpudra.kubeletplugin.device.AbsentDevices} report the reason, and claims
 * keep what they hold.
 *
 * <p>What must stay true: a device does not know claims, and fake GPUs refuse the same operations
 * as real ones. MPS servers are in {@code mps}.
 */
@NullMarked
package io.gpudra.kubeletplugin.device;

import org.jspecify.annotations.NullMarked;
