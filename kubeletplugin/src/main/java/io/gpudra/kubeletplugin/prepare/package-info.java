/**
 * What the node holds for claims, and how it gets there and back. Start at {@link
 * io.gpudra.kubeletplugin.prepare.ClaimPreparer}; {@link io.gpudra.kubeletplugin.prepare.Recovery}
 * makes one from what an earlier process left. What callers ask is in {@code call}, what is done to
 * the node in {@code step}; here is what decides, which sees both.
 *
 * <p>What must stay true: what claims hold of a GPU fits together, as {@code crds.usage} says,
 * decided under one lock and written down before anything is touched; what a container may use is
 * undone only when the kubelet asks, or, of a claim that it has lost, when {@link
 * io.gpudra.kubeletplugin.prepare.TakeBack} knows that no container can have it; waiting for a
 * device holds no lock that giving it back needs; the API server is asked only about a claim for
 * which the kubelet may have an old handle, and then what the server says counts.
 */
@NullMarked
package io.gpudra.kubeletplugin.prepare;

import org.jspecify.annotations.NullMarked;
