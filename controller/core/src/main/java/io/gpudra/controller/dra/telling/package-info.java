/**
 * What people are told when a claim waits or fails. Start at {@code Warnings}; {@code Explanation}
 * puts the refusals of many nodes into one sentence.
 *
 * <p>What must stay true: it decides nothing.
 */
@NullMarked
package io.gpudra.controller.dra.telling;

import org.jspecify.annotations.NullMarked;
