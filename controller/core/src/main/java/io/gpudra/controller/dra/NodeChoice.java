package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableSet;
import java.util.function.Supplier;

/** Where to allocate. */
public sealed interface NodeChoice {

  /** There or nowhere. */
  record On(String node) implements NodeChoice {}

  /** On the best of these: an Immediate claim that all others refused before. */
  record AnyOf(ImmutableSet<String> nodes) implements NodeChoice {}

  /**
   * On the best node the driver knows: an Immediate claim.
   *
   * @param but nodes that are left to others who waited longer; to be asked when the nodes are
   *     known that would do, since what becomes free in the meantime is theirs
   */
  record Anywhere(Supplier<ImmutableSet<String>> but) implements NodeChoice {}
}
