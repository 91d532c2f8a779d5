/**
 * Compares what claims, inventories and ledger say, and names each contradiction, its objects and
 * the way out. Start at {@code ClusterCheck}; {@code NodeCheck} is the part that a running
 * controller asks too, {@code Overdue} the one that it alone asks.
 *
 * <p>What must stay true: nothing here writes, waits or reads a clock, and the ledger is recomputed
 * by the very code that the controller runs.
 */
@NullMarked
package io.gpudra.controller.check;

import org.jspecify.annotations.NullMarked;
