/**
 * The GPU driver behind the protocol's seam: parameters → request → placement → handle. Start at
 * {@code GpuDriver}.
 *
 * <p>Compiles CEL conditions and judges devices with them; all holding is done by {@code
 * allocation}. Tenants write conditions, so these must stay true: what a condition costs on one
 * device is bounded before it is evaluated ({@code CelCost}, {@code PatternSize}), a function
 * without a bound in {@code CelFunctions} is not in the language, and whatever is remembered of
 * conditions is in a cache of {@code MemoBudget}.
 */
@NullMarked
package io.gpudra.controller.gpu;

import org.jspecify.annotations.NullMarked;
