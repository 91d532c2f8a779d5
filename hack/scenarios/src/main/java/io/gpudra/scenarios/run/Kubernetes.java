package io.gpudra.scenarios.run;

/** The components of a cluster. */
public enum Kubernetes {
  /** All components. */
  WHOLE,

  /** Without the controllers that create and scale the pods of Deployments. */
  WITHOUT_WORKLOADS
}
