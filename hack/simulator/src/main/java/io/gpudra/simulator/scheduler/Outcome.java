package io.gpudra.simulator.scheduler;

/**
 * How one try of a pod ended.
 *
 * @param message for the pod's condition and event; the node when bound
 */
record Outcome(Kind kind, String message) {
  enum Kind {
    BOUND,
    /** Not tried: it has a gate, or its claims are not there yet. Leaves no trace on the pod. */
    GATED,
    /** Tried in vain, or the driver has to act first. */
    UNSCHEDULABLE,
    /** Something that should not be, such as the context of another pod. */
    ERROR
  }

  static Outcome unschedulable(String message) {
    return new Outcome(Kind.UNSCHEDULABLE, message);
  }

  static Outcome error(String message) {
    return new Outcome(Kind.ERROR, message);
  }
}
