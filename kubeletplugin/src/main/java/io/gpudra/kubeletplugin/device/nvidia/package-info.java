/**
 * NVIDIA GPUs: start at {@link io.gpudra.kubeletplugin.device.nvidia.NvidiaDevices}. What a GPU is
 * comes from {@link io.gpudra.kubeletplugin.device.nvidia.Discovery}, what is done to it from the
 * driver through {@code device.nvml} or through a program of the {@link
 * io.gpudra.kubeletplugin.device.nvidia.DriverRoot}.
 *
 * <p>What must stay true: a GPU is known by its UUID, never by its index; what a table could say is
 * asked of the driver; one GPU that fails takes no other with it.
 */
@NullMarked
package io.gpudra.kubeletplugin.device.nvidia;

import org.jspecify.annotations.NullMarked;
