/**
 * Chooses devices for the claims of one pod on one node: start at {@code Placer}. Claims that want
 * nothing but whole GPUs are matched ({@code Room}, {@code Demands}); all others are searched for
 * ({@code Search}); {@code Inner} says what may be carved out of what other claims have.
 *
 * <p>What must stay true: a pure function of a ledger and a request, with a budget; what it answers
 * within the budget is exact, and the same whatever the order of its inputs; whether parts fit
 * together is asked of {@code crds.usage} alone.
 */
@NullMarked
package io.gpudra.controller.allocation.search;

import org.jspecify.annotations.NullMarked;
