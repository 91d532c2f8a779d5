package io.gpudra.controller.loop;

import java.time.Duration;

/**
 * How a reconcile ended. An exception is the third way: it is logged, counted and retried with
 * back-off.
 */
public sealed interface Outcome {

  /** Nothing more to do until the next event. */
  record Done() implements Outcome {}

  /** Look again after this time even without an event. */
  record After(Duration delay) implements Outcome {}
}
