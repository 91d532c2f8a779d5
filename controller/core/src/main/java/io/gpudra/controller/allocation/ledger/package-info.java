/**
 * The holders of one node's devices, as a value: start at {@code NodeLedger}. {@code
 * LedgerFindings} derives further values, {@code GpuStatus} is the state of a GPU for metrics,
 * commands and the page, {@code NodeFingerprint} has the facts that decide on free capacity. This
 * package knows no requests.
 *
 * <p>What must stay true: free devices are computed from the inventory and the holds, never stored;
 * a step returns a new ledger and changes no other; only the owner ends a commit in flight.
 */
@NullMarked
package io.gpudra.controller.allocation.ledger;

import org.jspecify.annotations.NullMarked;
