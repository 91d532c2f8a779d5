/**
 * Decides which devices a pod's claims get on a node, and remembers what is held. No Kubernetes,
 * log, clock or I/O.
 *
 * <p>Start at {@code Placer}: exact, deterministic, a pure function of a {@code NodeLedger} and a
 * request. {@code Ledgers} is the only mutable class: one immutable ledger per node behind
 * compare-and-set.
 *
 * <p>What must stay true: no device in two holds; all of a batch or nothing; a question changes
 * nothing.
 */
@NullMarked
package io.gpudra.controller.allocation;

import org.jspecify.annotations.NullMarked;
