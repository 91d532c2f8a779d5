/**
 * The language of conditions (api.md 5): compiles CEL over the attributes of devices and evaluates
 * devices with it. Start at {@code ConditionCompiler}; {@code AttributeReader} reads the
 * attributes.
 *
 * <p>Tenants write conditions, so these must stay true: the cost of a condition on one device is
 * bounded before its evaluation ({@code CelCost}, {@code RegexCost}), a function without a bound in
 * {@code CelFunctions} is not in the language, and all data about conditions is in caches of {@code
 * MemoryBudget}. This package knows no claim, class or parameters object.
 */
@NullMarked
package io.gpudra.controller.gpu.cel;

import org.jspecify.annotations.NullMarked;
