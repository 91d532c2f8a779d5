/**
 * Reconciles a pod's claims: {@code SchedulingReconciler} reads the pod, {@code
 * SchedulingFactsReader} gathers facts, {@code SchedulingRules} decide on allocations on the
 * selected node and on the unsuitable nodes to publish.
 *
 * <p>What must stay true: no claim is allocated for a pod that was not read after its claims.
 */
@NullMarked
package io.gpudra.controller.dra.scheduling;

import org.jspecify.annotations.NullMarked;
