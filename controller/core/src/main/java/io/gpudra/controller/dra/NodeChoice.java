package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.NodeDemand;
import java.util.Optional;
import java.util.function.Supplier;

/** Where to allocate. */
public sealed interface NodeChoice {

  /** Only on this node. */
  record OneNode(String node) implements NodeChoice {}

  /** On the best of these: for an Immediate claim that all other nodes refused before. */
  record AnyOf(ImmutableSet<String> nodes) implements NodeChoice {}

  /**
   * On the best node that the driver knows: for an Immediate claim.
   *
   * @param but nodes that are reserved for older waiters; read after the evaluation, since devices
   *     that become free meanwhile are reserved, too
   */
  record AnyNode(Supplier<ImmutableSet<String>> but) implements NodeChoice {}

  /**
   * On the best node that satisfies the demand of a pod for which the driver chooses the node.
   *
   * @param nodes the nodes to evaluate; absent: all
   * @param but see {@link AnyNode}
   */
  record Fitting(
      NodeDemand demand, Optional<ImmutableSet<String>> nodes, Supplier<ImmutableSet<String>> but)
      implements NodeChoice {}
}
