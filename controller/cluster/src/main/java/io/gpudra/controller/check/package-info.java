/**
 * Compares claims, inventories and ledger, and reports each inconsistency with its objects and its
 * remedy. Start at {@code ClusterCheck}. A running controller uses {@code NodeCheck}, too, and only
 * it uses {@code OverdueClaims}.
 *
 * <p>What must stay true: nothing here writes, waits or reads a clock, and the ledger is recomputed
 * by the controller's own code.
 */
@NullMarked
package io.gpudra.controller.check;

import org.jspecify.annotations.NullMarked;
