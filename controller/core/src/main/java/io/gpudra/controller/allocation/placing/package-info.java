/**
 * Chooses devices for the claims of one pod on one node, or says why there are none: start at
 * {@code Placer}. Claims that want nothing but whole GPUs are matched ({@code Room}), all others
 * searched for ({@code Parts}); {@code Lack} tells what was missing, in the words of {@code Miss}.
 *
 * <p>What must stay true: a pure function of a ledger and a request, with a budget; what it answers
 * within the budget is exact, and the same whatever the order of its inputs; words are made when
 * somebody reads them.
 */
@NullMarked
package io.gpudra.controller.allocation.placing;

import org.jspecify.annotations.NullMarked;
