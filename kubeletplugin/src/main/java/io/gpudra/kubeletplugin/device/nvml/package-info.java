/**
 * The part of NVIDIA's management library that is used, in its own terms: start at {@link
 * io.gpudra.kubeletplugin.device.nvml.Nvml}, one session with one lock. The functions are described
 * in docs/design/nvidia.md 1.2, the memory layout of their structs in {@link
 * io.gpudra.kubeletplugin.device.nvml.NvmlStructLayout}.
 *
 * <p>What must stay true: no function is called without the lock, and no handle is used after its
 * session. Every answer but success is an {@link io.gpudra.kubeletplugin.device.nvml.NvmlException}
 * or an absent value. A function that a driver lacks returns {@link
 * io.gpudra.kubeletplugin.device.nvml.NvmlReturn#FUNCTION_NOT_FOUND}, as in the library itself. The
 * package does not interpret the state of GPUs.
 */
@NullMarked
package io.gpudra.kubeletplugin.device.nvml;

import org.jspecify.annotations.NullMarked;
