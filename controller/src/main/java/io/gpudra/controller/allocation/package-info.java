/**
 * Decides which devices a pod's claims get on a node, and remembers what is held. No Kubernetes,
 * log, clock or I/O.
 *
 * <p>Start at {@code Placer}: exact, deterministic, a pure function of a {@code NodeLedger} and a
 * request. {@code Ledgers} is what others call: it keeps the newest ledger of each node and changes
 * it by compare-and-set. {@code Cause} lists every reason for a refusal.
 *
 * <p>What must stay true: no commit takes an occupied device, or what no handle can carry; all of a
 * batch or nothing; no claim is in flight on two nodes; only its owner ends what is in flight; a
 * question changes nothing.
 */
@NullMarked
package io.gpudra.controller.allocation;

import org.jspecify.annotations.NullMarked;
