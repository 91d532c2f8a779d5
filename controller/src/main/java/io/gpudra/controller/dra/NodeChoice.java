package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableSet;

/** Where to allocate. */
public sealed interface NodeChoice {

  /** There or nowhere. */
  record On(String node) implements NodeChoice {}

  /** On the best of these: an Immediate claim that all others refused before. */
  record AnyOf(ImmutableSet<String> nodes) implements NodeChoice {}

  /** On the best node the driver knows: an Immediate claim. */
  record Anywhere() implements NodeChoice {}
}
