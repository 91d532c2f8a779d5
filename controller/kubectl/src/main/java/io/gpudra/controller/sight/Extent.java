package io.gpudra.controller.sight;

/** How much of a cluster a question is about. */
public enum Extent {
  /** GPUs and who has them: nodes, their inventories, and claims. */
  USE,
  /** Also who waits, and all that decides about it. */
  EVERYTHING
}
