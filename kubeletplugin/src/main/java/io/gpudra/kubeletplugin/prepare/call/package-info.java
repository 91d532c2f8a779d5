/**
 * The requests of callers and their answers: start at {@link
 * io.gpudra.kubeletplugin.prepare.call.PrepareRequest} and {@link
 * io.gpudra.kubeletplugin.prepare.call.PrepareOutcome}. {@link
 * io.gpudra.kubeletplugin.prepare.call.PrepareCall} is the caller, which may time out.
 *
 * <p>What must stay true: no Protobuf and no state of the node; every refusal has the possible
 * reaction of its caller.
 */
@NullMarked
package io.gpudra.kubeletplugin.prepare.call;

import org.jspecify.annotations.NullMarked;
