/**
 * The state of the API server on which rules decide: start at {@link
 * io.gpudra.controller.dra.facts.ClaimFacts} and {@link io.gpudra.controller.dra.facts.PodUse}.
 *
 * <p>What must stay true: each value describes one object at one time and has methods about that
 * object alone; no port, no driver, no decision, and no field that no decision needs.
 */
@NullMarked
package io.gpudra.controller.dra.facts;

import org.jspecify.annotations.NullMarked;
