/**
 * How much memory tenants can have the controller keep. A number of entries is no limit where a
 * tenant chooses how large one is, so everything that is remembered of what tenants write has its
 * bytes in {@code MemoryBudget}, a share of the heap, and what was asked for is kept in {@code
 * Remembered}, which lets go of what nobody asks for any more.
 *
 * <p>What must stay true: nothing is weighed when something is found, only when it is put in or has
 * grown; losing what is remembered costs time and changes no answer.
 */
@NullMarked
package io.gpudra.controller.memory;

import org.jspecify.annotations.NullMarked;
