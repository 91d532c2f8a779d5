package io.gpudra.simulator.actor;

/** Which release of Kubernetes the actors behave as, where that changes what a driver sees. */
public enum Profile {
  /** Generated claims have deterministic names, nobody asks for deallocation. */
  V1_27,
  V1_30
}
