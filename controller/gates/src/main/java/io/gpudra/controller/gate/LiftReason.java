package io.gpudra.controller.gate;

import com.google.common.base.CaseFormat;

/** Why the gate of a pod is removed. */
public enum LiftReason {
  GRANTED("its claims are allocated"),
  NO_CLAIMS("it has no claim"),
  OTHER_DRIVER("one of its claims is of another driver"),
  POD_AFFINITY("the scheduler judges its required pod affinity"),
  TOPOLOGY_SPREAD("the scheduler judges its topology spread constraint"),
  HOST_PORTS("the scheduler judges its host ports"),
  UNREADABLE("its demands on nodes are too large"),
  CROWDED("the pods of its namespace that wait for a node take too much memory"),
  PATIENCE("no node fits its claims for too long");

  private final String label = CaseFormat.UPPER_UNDERSCORE.to(CaseFormat.LOWER_CAMEL, name());
  private final String text;

  LiftReason(String text) {
    this.text = text;
  }

  /** The name in camelCase, for metrics. */
  public String label() {
    return label;
  }

  /** The reason, for users. */
  public String text() {
    return text;
  }
}
