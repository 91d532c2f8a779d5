/**
 * Reconciles single claims: deallocation, cleanup, Immediate allocation. {@code ClaimRules} is the
 * table of actions, {@code ClaimReconciler} performs them.
 *
 * <p>What must stay true: an action follows from the newest read of the claim; after a conflict it
 * is read live and decided anew.
 */
@NullMarked
package io.gpudra.controller.dra.claims;

import org.jspecify.annotations.NullMarked;
