package io.gpudra.simulator.actor;

/** The Kubernetes release that the actors simulate, for differences that a driver sees. */
public enum Profile {
  /** Generated claims have deterministic names; the scheduler never requests deallocation. */
  V1_27,
  V1_30
}
