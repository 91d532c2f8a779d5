/**
 * NVIDIA GPUs: start at {@link io.gpudra.kubeletplugin.device.nvidia.NvidiaDevices}. Properties of
 * a GPU come from {@link io.gpudra.kubeletplugin.device.nvidia.GpuDiscovery}. Changes go to the
 * driver through {@code device.nvml} or through a program of the {@link
 * io.gpudra.kubeletplugin.device.nvidia.DriverRoot}.
 *
 * <p>What must stay true: a GPU is identified by its UUID, never by its index. Values come from the
 * driver rather than from a table. A GPU that fails does not affect the others.
 */
@NullMarked
package io.gpudra.kubeletplugin.device.nvidia;

import org.jspecify.annotations.NullMarked;
