/**
 * The cluster for the commands and the page: one snapshot of the objects, and the ledger that the
 * controller would build from it. Start at {@code UserView}.
 *
 * <p>Everything here is a value from one snapshot. What must stay true: nothing here writes, waits
 * or reads a clock; no rule of the controller is repeated; nothing is guessed about objects that
 * the caller may not read.
 */
@NullMarked
package io.gpudra.controller.view;

import org.jspecify.annotations.NullMarked;
