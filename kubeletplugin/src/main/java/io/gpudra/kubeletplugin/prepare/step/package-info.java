/**
 * The changes to a node for one claim: start at {@link
 * io.gpudra.kubeletplugin.prepare.step.PrepareStep}. {@link
 * io.gpudra.kubeletplugin.prepare.step.PreparePlan} runs steps in order and undoes them in reverse;
 * {@link io.gpudra.kubeletplugin.prepare.step.GpuSteps} has those that change a GPU.
 *
 * <p>What must stay true: running and undoing are repeatable, and a step may be undone without
 * having run. A GPU is changed under its own lock only. This package does not know the claims of
 * the node: a step checks, under the lock, whether others still need the device that its undo would
 * remove.
 */
@NullMarked
package io.gpudra.kubeletplugin.prepare.step;

import org.jspecify.annotations.NullMarked;
