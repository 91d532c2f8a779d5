/**
 * The GPU driver that implements the protocol's port: parameters → request → placement → handle.
 * Start at {@code GpuDriver}.
 *
 * <p>It reads the request of class and claim ({@code ParametersResolver}, {@code RequestBuilder})
 * and evaluates devices ({@code GpuCondition}). {@code allocation} holds the devices, and {@code
 * gpu.cel} has the language of conditions. {@code ParametersReader} reads parameters that no claim
 * names yet by the same rules. What must stay true: all cached data of tenants is in caches of
 * {@code MemoryBudget}.
 */
@NullMarked
package io.gpudra.controller.gpu;

import org.jspecify.annotations.NullMarked;
