/**
 * The part of NVIDIA's management library that we use, with its own words: start at {@link
 * io.gpudra.kubeletplugin.device.nvml.Nvml}, one session with one lock. What each function does is
 * in docs/design/nvidia.md 1.2 and how its structs lie in memory in {@link
 * io.gpudra.kubeletplugin.device.nvml.Layout}.
 *
 * <p>What must stay true: no function is called without the lock, no handle is used after its
 * session, and every answer but success is an {@link
 * io.gpudra.kubeletplugin.device.nvml.NvmlException} or an absent value. A function that a driver
 * does not have is answered as {@link
 * io.gpudra.kubeletplugin.device.nvml.NvmlReturn#FUNCTION_NOT_FOUND}, as the library itself does.
 * What the plugin makes of a GPU is not known here.
 */
@NullMarked
package io.gpudra.kubeletplugin.device.nvml;

import org.jspecify.annotations.NullMarked;
