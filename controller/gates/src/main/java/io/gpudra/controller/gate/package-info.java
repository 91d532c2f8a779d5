/**
 * The scheduling gate of pods whose claims are allocated before the scheduler sees them. {@code
 * GateRules} is the table of actions, {@code GateReconciler} performs them.
 *
 * <p>What must stay true: no gate is removed for its grant before all claims of the pod are
 * allocated; a pod that this driver cannot judge loses its gate at once; this package knows no GPU
 * and no client of the API server.
 */
@NullMarked
package io.gpudra.controller.gate;

import org.jspecify.annotations.NullMarked;
