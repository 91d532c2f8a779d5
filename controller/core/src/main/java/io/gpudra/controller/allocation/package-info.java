/**
 * Decides which devices a pod's claims get on a node, and remembers the held devices. No
 * Kubernetes, log, clock or I/O.
 *
 * <p>Start at {@code Ledgers}: it keeps the newest ledger of each node and changes it by
 * compare-and-set. Its packages, each above the ones before it: {@code request} (requests), {@code
 * ledger} (holders of one node), {@code mig} (MIG layouts), {@code refusal} (reasons), {@code
 * search} (devices), {@code placement} (placements).
 *
 * <p>What must stay true: no commit holds devices that do not fit beside the held ones, or that no
 * handle can carry; all claims of a batch are held or none is; no claim is in flight on two nodes;
 * only its owner ends a commit in flight; a query changes nothing.
 */
@NullMarked
package io.gpudra.controller.allocation;

import org.jspecify.annotations.NullMarked;
