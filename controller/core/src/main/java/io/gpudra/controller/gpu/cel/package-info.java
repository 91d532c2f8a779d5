/**
 * The language of conditions (api.md 5): compiles CEL over the attributes of devices and judges
 * devices with it. Start at {@code Expressions}; what can be asked is in {@code Attribute}.
 *
 * <p>Tenants write conditions, so these must stay true: what a condition costs on one device is
 * bounded before it is evaluated ({@code CelCost}, {@code PatternSize}), a function without a bound
 * in {@code CelFunctions} is not in the language, and whatever is remembered of conditions is in a
 * cache of {@code MemoryBudget}. No claim, class or parameters object comes in here.
 */
@NullMarked
package io.gpudra.controller.gpu.cel;

import org.jspecify.annotations.NullMarked;
