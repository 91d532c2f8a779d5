/**
 * The state of the API server on which rules decide: start at {@link
 * io.gpudra.controller.dra.facts.ClaimFacts} and {@link io.gpudra.controller.dra.facts.PodUse}.
 *
 * <p>What must stay true: each value describes one object at one time and answers questions about
 * it alone; no port, no driver, no decision, and no field without a decision that needs it.
 */
@NullMarked
package io.gpudra.controller.dra.facts;

import org.jspecify.annotations.NullMarked;
