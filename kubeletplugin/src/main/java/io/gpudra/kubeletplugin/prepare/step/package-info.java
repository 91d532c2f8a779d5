/**
 * What is done to a node for one claim: start at {@link io.gpudra.kubeletplugin.prepare.step.Step}.
 * {@link io.gpudra.kubeletplugin.prepare.step.PreparePlan} does steps in order and undoes them in
 * the other; {@link io.gpudra.kubeletplugin.prepare.step.GpuSteps} has those that touch a GPU.
 *
 * <p>What must stay true: doing and undoing are repeatable, and undoing may come without doing; a
 * GPU is touched under its own lock only. Which claims the node holds is not known here: a step is
 * told whether others still need what its undo would take back, and asks that under the lock.
 */
@NullMarked
package io.gpudra.kubeletplugin.prepare.step;

import org.jspecify.annotations.NullMarked;
