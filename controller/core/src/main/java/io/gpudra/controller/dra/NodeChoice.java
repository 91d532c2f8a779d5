package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableSet;
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
}
