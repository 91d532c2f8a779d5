package io.gpudra.kubeletplugin.prepare.call;

import java.time.Duration;
import java.util.Optional;

/** A caller that may time out or disconnect while its work is being done. */
public final class PrepareCall {

  /** The maximum time for an answer: the sender does not learn that it arrived too late. */
  private static final Duration WAY = Duration.ofMillis(500);

  private final Optional<Long> endsAtNanos;
  private boolean cancelled;
  private Runnable onCancel = () -> {};

  private PrepareCall(Optional<Long> endsAtNanos) {
    this.endsAtNanos = endsAtNanos;
  }

  /** A caller that waits without a limit. */
  public static PrepareCall withoutDeadline() {
    return new PrepareCall(Optional.empty());
  }

  /** A caller that stops listening after the given time. */
  public static PrepareCall endingIn(Duration time) {
    return new PrepareCall(Optional.of(System.nanoTime() + time.toNanos()));
  }

  /** The caller is gone, so its wait stops. May be called from any thread. */
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

  /** Whether an answer that is sent now may come too late for its caller. */
  public boolean tooLate() {
    return cancelled()
        || endsAtNanos.filter(end -> end - System.nanoTime() < WAY.toNanos()).isPresent();
  }

  /** Sets the action that {@link #cancel} runs; there is one at a time. */
  public synchronized void onCancel(Runnable wake) {
    onCancel = wake;
  }

  Optional<Long> endsAtNanos() {
    return endsAtNanos;
  }
}
