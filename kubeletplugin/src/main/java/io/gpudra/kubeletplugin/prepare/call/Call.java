package io.gpudra.kubeletplugin.prepare.call;

import java.time.Duration;
import java.util.Optional;

/** A caller that may lose patience, or go away, while its work is being done. */
public final class Call {

  /** What an answer needs to arrive: nobody is told that it did not when it was sent in time. */
  private static final Duration WAY = Duration.ofMillis(500);

  private final Optional<Long> endsAtNanos;
  private boolean cancelled;
  private Runnable onCancel = () -> {};

  private Call(Optional<Long> endsAtNanos) {
    this.endsAtNanos = endsAtNanos;
  }

  /** A caller that waits as long as it takes. */
  public static Call withoutDeadline() {
    return new Call(Optional.empty());
  }

  /** A caller that stops listening after the given time. */
  public static Call endingIn(Duration time) {
    return new Call(Optional.of(System.nanoTime() + time.toNanos()));
  }

  /** The caller is gone; whoever waits on its behalf stops. May be called from any thread. */
  public void cancel() {
    Runnable wake;
    synchronized (this) {
      cancelled = true;
      wake = onCancel;
    }
    wake.run();
  }

  /** Whether the caller is gone. */
  public synchronized boolean cancelled() {
    return cancelled;
  }

  /** Whether an answer that leaves now may find nobody who listens. */
  public boolean tooLate() {
    return cancelled()
        || endsAtNanos.filter(end -> end - System.nanoTime() < WAY.toNanos()).isPresent();
  }

  /** Whom {@link #cancel} wakes; one at a time. */
  public synchronized void onCancel(Runnable wake) {
    onCancel = wake;
  }

  Optional<Long> endsAtNanos() {
    return endsAtNanos;
  }
}
