/**
 * The devices of a node and its state: start at {@link io.gpudra.crds.model.node.Inventory}, its
 * GPUs, their links and the claims that hold them. {@link
 * io.gpudra.crds.model.node.DeviceAttribute} lists the attributes that conditions read. {@link
 * io.gpudra.crds.model.node.NodeState} is the view of the control plane. Selectors are here, too:
 * {@link io.gpudra.crds.model.node.NodeSelector}, {@link
 * io.gpudra.crds.model.node.DeviceToleration}.
 *
 * <p>What must stay true: a report of one node at one time, immutable and equal by content.
 * Conclusions from it, such as which devices are free, are not here but in {@code usage}.
 */
@NullMarked
package io.gpudra.crds.model.node;

import org.jspecify.annotations.NullMarked;
