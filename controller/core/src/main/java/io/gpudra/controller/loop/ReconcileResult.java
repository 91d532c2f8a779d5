package io.gpudra.controller.loop;

import java.time.Duration;

/**
 * The result of a reconcile. An exception is the fourth result: it is logged, counted and retried
 * with back-off.
 *
 * @param delay zero except {@link Kind#AFTER} and {@link Kind#FIRST_AFTER}
 */
public record ReconcileResult(Kind kind, Duration delay) {

  /** What to do with the key. */
  public enum Kind {
    /** Nothing more to do until the next event. */
    DONE,
    /** Requeue after this time even without an event. */
    AFTER,
    /** The same, before keys that wait. */
    FIRST_AFTER,
    /** An expected obstacle, such as a busy server: requeue with back-off. */
    AGAIN
  }

  /** {@link Kind#DONE}. */
  public static ReconcileResult done() {
    return new ReconcileResult(Kind.DONE, Duration.ZERO);
  }

  /** {@link Kind#AFTER}. */
  public static ReconcileResult after(Duration delay) {
    return new ReconcileResult(Kind.AFTER, delay);
  }

  /** {@link Kind#FIRST_AFTER}. */
  public static ReconcileResult firstAfter(Duration delay) {
    return new ReconcileResult(Kind.FIRST_AFTER, delay);
  }

  /** {@link Kind#AGAIN}. */
  public static ReconcileResult again() {
    return new ReconcileResult(Kind.AGAIN, Duration.ZERO);
  }
}
