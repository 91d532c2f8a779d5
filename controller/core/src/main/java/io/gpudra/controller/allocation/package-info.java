/**
 * Decides which devices a pod's claims get on a node, and remembers what is held. No Kubernetes,
 * log, clock or I/O.
 *
 * <p>Start at {@code Ledgers}: it keeps the newest ledger of each node and changes it by
 * compare-and-set. Its rooms, each above the ones before it: {@code request} (what is asked),
 * {@code ledger} (who holds what of one node), {@code refusal} (why not), {@code search} (which
 * devices).
 *
 * <p>What must stay true: no commit takes what does not fit beside what is held, or what no handle
 * can carry; all of a batch or nothing; no claim is in flight on two nodes; only its owner ends
 * what is in flight; a question changes nothing.
 */
@NullMarked
package io.gpudra.controller.allocation;

import org.jspecify.annotations.NullMarked;
