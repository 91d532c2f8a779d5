/**
 * The GPU driver behind the protocol's seam: parameters → request → placement → handle. Start at
 * {@code GpuDriver}.
 *
 * <p>Reads what class and claim ask for ({@code Requests}, {@code Wishes}) and judges devices by it
 * ({@code GpuCondition}); all holding is done by {@code allocation}, the language of conditions is
 * in {@code gpu.cel}. Parameters that no claim names yet are read by the same rules ({@code
 * ParametersReader}). What must stay true: what is remembered for tenants is in caches of {@code
 * MemoryBudget}.
 */
@NullMarked
package io.gpudra.controller.gpu;

import org.jspecify.annotations.NullMarked;
