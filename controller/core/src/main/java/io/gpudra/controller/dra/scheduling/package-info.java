/**
 * A pod's claims: {@code SchedulingReconciler} reads the pod, {@code Survey} gathers facts, {@code
 * SchedulingRules} decide what is allocated on the selected node and which nodes the scheduler is
 * told it cannot have.
 *
 * <p>What must stay true: nothing is allocated for a pod that is not read after its claims were.
 */
@NullMarked
package io.gpudra.controller.dra.scheduling;

import org.jspecify.annotations.NullMarked;
