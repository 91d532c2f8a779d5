package io.gpudra.controller.allocation.search;

import com.google.common.collect.ImmutableList;

/** What a search came to. */
public sealed interface Finding {

  /** The node's GPUs with all claims served. */
  record Found(ImmutableList<State> gpus) implements Finding {}

  /** There is no way. */
  record Nothing() implements Finding {}

  /** There may be a way, but finding it takes longer than is allowed. */
  record TooMany() implements Finding {}
}
