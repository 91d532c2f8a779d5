package io.gpudra.controller.allocation.request;

/** Which of several devices, and for Immediate claims of several nodes, is taken first. */
public enum Policy {
  /** Fill what is already in use, so that large requests find room elsewhere. */
  PACK,
  /** Prefer what is least used. */
  SPREAD
}
