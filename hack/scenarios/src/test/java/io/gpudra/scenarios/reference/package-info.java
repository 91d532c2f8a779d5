/**
 * The pages of {@code docs/reference}, made from what they describe: definitions of custom
 * resources, the chart's values, the models of command lines, and the texts that the driver itself
 * makes. Start at {@code ReferencePagesTest}, which compares them.
 *
 * <p>What must stay true: a page says nothing that its source does not say, but its first
 * sentences.
 */
@NullMarked
package io.gpudra.scenarios.reference;

import org.jspecify.annotations.NullMarked;
