/**
 * The cluster as people ask about it: one reading, and the ledger that the controller would fold
 * from it. Start at {@code Sight}.
 *
 * <p>Everything here is a value made from one reading; commands and the page only show it. What
 * must stay true: nothing here writes, waits or reads a clock, no rule of the controller stands
 * here a second time, and what the reader may not see is said, never guessed.
 */
@NullMarked
package io.gpudra.controller.view;

import org.jspecify.annotations.NullMarked;
