/**
 * The claim controller of kube-controller-manager (protocol.md 3.3), including its bugs, since a
 * driver must handle them. Start with {@link io.gpudra.simulator.claims.ClaimController}.
 */
@NullMarked
package io.gpudra.simulator.claims;

import org.jspecify.annotations.NullMarked;
