/**
 * The kubelet's gRPC: {@link io.gpudra.kubeletplugin.rpc.PluginSockets} owns the two sockets,
 * {@link io.gpudra.kubeletplugin.rpc.ClaimCalls} turns messages into calls of {@code prepare} and
 * back.
 *
 * <p>What must stay true: the DRA socket serves before the registration socket exists and after it
 * is gone; every claim of a request has an entry in the answer; only the listing of resources is
 * answered UNIMPLEMENTED; calls that unprepare never wait for a thread of calls that prepare.
 */
@NullMarked
package io.gpudra.kubeletplugin.rpc;

import org.jspecify.annotations.NullMarked;
