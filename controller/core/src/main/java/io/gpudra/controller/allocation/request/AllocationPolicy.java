package io.gpudra.controller.allocation.request;

/** The order in which devices, and nodes for Immediate claims, are chosen. */
public enum AllocationPolicy {
  /** Prefers devices and nodes in use, so that large requests find room elsewhere. */
  PACK,
  /** Prefers those used least. */
  SPREAD
}
