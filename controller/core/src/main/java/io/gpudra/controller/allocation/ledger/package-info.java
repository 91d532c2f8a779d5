/**
 * Who holds what of one node, as a value: start at {@code NodeLedger}; what follows from it is in
 * {@code Findings}, what of it decides whether there is room in {@code Looks}. Says nothing of
 * requests.
 *
 * <p>What must stay true: whether something is free is computed from the inventory and the holds,
 * never stored; a step gives a new ledger and changes no other; only its owner ends what is in
 * flight.
 */
@NullMarked
package io.gpudra.controller.allocation.ledger;

import org.jspecify.annotations.NullMarked;
