/**
 * The state machine of a claim on this node: plan, checkpoint, apply, undo. Start at {@code
 * ClaimPreparer}.
 */
@NullMarked
package io.gpudra.kubeletplugin.prepare;

import org.jspecify.annotations.NullMarked;
