package io.gpudra.simulator.scheduler;

/**
 * How one try of a pod ended.
 *
 * @param message for the pod's condition and event, empty when there is neither; the node when
 *     bound
 */
record Outcome(Kind kind, String message) {
  enum Kind {
    /** The pod is bound. */
    BOUND,
    /** Not tried: its claims are not there yet. Leaves no trace on the pod. */
    GATED,
    /** Tried in vain, or the driver has to act first. */
    UNSCHEDULABLE,
    /** Something that should not be, such as the context of another pod. */
    ERROR
  }

  static final Outcome GATED = new Outcome(Kind.GATED, "");

  static Outcome bound(String node) {
    return new Outcome(Kind.BOUND, node);
  }

  static Outcome unschedulable(String message) {
    return new Outcome(Kind.UNSCHEDULABLE, message);
  }

  static Outcome error(String message) {
    return new Outcome(Kind.ERROR, message);
  }
}
