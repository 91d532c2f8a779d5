package io.gpudra.controller.sight;

/** Which kinds a command needs. */
public enum ReadScope {
  /** GPUs and their claims: nodes, inventories and claims. */
  USE,
  /** Also pods that wait, and all objects that the decision depends on. */
  EVERYTHING
}
