/**
 * The claim controller of kube-controller-manager (protocol.md 3.3), its defects included: what a
 * driver must live with is part of the double. Start with {@link
 * io.gpudra.simulator.claims.ClaimController}.
 */
@NullMarked
package io.gpudra.simulator.claims;

import org.jspecify.annotations.NullMarked;
