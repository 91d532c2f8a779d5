/**
 * The nodes on which all pods of a group fit at once, and those that are kept for a group that
 * waits for too long. Start at {@code GroupSearch}, then {@code GroupTurns}.
 *
 * <p>What must stay true: a search is a function of ledgers and requests, without a clock; its cost
 * has a bound, and an answer that the bound cuts short is {@code Undecided}, never a refusal.
 */
@NullMarked
package io.gpudra.controller.group;

import org.jspecify.annotations.NullMarked;
