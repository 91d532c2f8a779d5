/**
 * A claim by itself: release, cleaning up, Immediate allocation. {@code ClaimRules} is the table of
 * what is done, {@code ClaimReconciler} does it.
 *
 * <p>What must stay true: what is done follows from the claim as it was read last; who lost a race
 * reads it live and decides anew.
 */
@NullMarked
package io.gpudra.controller.dra.claims;

import org.jspecify.annotations.NullMarked;
