package io.gpudra.controller.dra;

/** Where to allocate. */
public sealed interface NodeChoice {

  /** There or nowhere. */
  record On(String node) implements NodeChoice {}

  /** On the best node the driver knows: an Immediate claim. */
  record Anywhere() implements NodeChoice {}
}
