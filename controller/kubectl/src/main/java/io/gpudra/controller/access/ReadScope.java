package io.gpudra.controller.access;

/** The kinds that a command needs. */
public enum ReadScope {
  /** GPUs and their claims: nodes, inventories and claims. */
  USE,
  /** Also the quotas of namespaces. */
  USE_AND_QUOTAS,
  /** Also pods that wait, and all objects on which the decision depends. */
  EVERYTHING
}
