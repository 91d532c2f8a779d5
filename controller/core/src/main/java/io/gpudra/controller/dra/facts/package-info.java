/**
 * What the API server says, as far as rules decide on it: start at {@link
 * io.gpudra.controller.dra.facts.ClaimFacts} and {@link io.gpudra.controller.dra.facts.PodUse}.
 *
 * <p>What must stay true: values of one object at one time, with questions that they answer alone;
 * no port, no driver, no decision. What nobody needs for a decision is not here.
 */
@NullMarked
package io.gpudra.controller.dra.facts;

import org.jspecify.annotations.NullMarked;
