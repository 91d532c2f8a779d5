package io.gpudra.controller.loop;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The result of a reconcile. An exception is the fourth result: it is logged, counted and retried
 * with back-off.
 */
public sealed interface ReconcileResult {

  /** Nothing more to do until the next event. */
  record Done() implements ReconcileResult {
    @Override
    public <R> R match(Supplier<R> done, Function<Duration, R> after, Supplier<R> again) {
      return done.get();
    }
  }

  /** Requeue after this time even without an event. */
  record After(Duration delay) implements ReconcileResult {
    @Override
    public <R> R match(Supplier<R> done, Function<Duration, R> after, Supplier<R> again) {
      return after.apply(delay);
    }
  }

  /** An expected obstacle, such as a busy server: requeue with back-off. */
  record Again() implements ReconcileResult {
    @Override
    public <R> R match(Supplier<R> done, Function<Duration, R> after, Supplier<R> again) {
      return again.get();
    }
  }

  /** Calls the function that belongs to this case. */
  <R> R match(Supplier<R> done, Function<Duration, R> after, Supplier<R> again);

  /** {@link Done}. */
  static ReconcileResult done() {
    return new Done();
  }

  /** {@link After}. */
  static ReconcileResult after(Duration delay) {
    return new After(delay);
  }

  /** {@link Again}. */
  static ReconcileResult again() {
    return new Again();
  }
}
