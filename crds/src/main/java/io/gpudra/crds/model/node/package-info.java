/**
 * What a node has and what is said of it: start at {@link io.gpudra.crds.model.node.Inventory}, its
 * GPUs, their links and the claims that hold them; {@link io.gpudra.crds.model.node.NodeState} is
 * what the control plane says. What chooses among nodes and GPUs lies beside what it chooses by:
 * {@link io.gpudra.crds.model.node.NodeSelector}, {@link io.gpudra.crds.model.node.Toleration}.
 *
 * <p>What must stay true: a report of one node at one time, immutable and equal by content; what
 * follows from it, such as what is free, is not here but in {@code usage}.
 */
@NullMarked
package io.gpudra.crds.model.node;

import org.jspecify.annotations.NullMarked;
