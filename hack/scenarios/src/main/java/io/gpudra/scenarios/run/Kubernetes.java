package io.gpudra.scenarios.run;

/** How much of Kubernetes a cluster has. */
public enum Kubernetes {
  /** All of it. */
  WHOLE,

  /** Nobody makes the pods of a Deployment, and nobody scales them. */
  WITHOUT_WORKLOADS
}
