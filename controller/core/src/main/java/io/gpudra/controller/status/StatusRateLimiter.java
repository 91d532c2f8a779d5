package io.gpudra.controller.status;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Limits the rate of calls, and pauses nine times as long as work took. Confined to one thread. */
final class StatusRateLimiter {

  /** A tenth of a processor. */
  private static final int REST = 9;

  /** Shorter pauses are combined. */
  private static final long WORTH_A_REST = Duration.ofMillis(10).toNanos();

  private static final long LONGEST_REST = Duration.ofSeconds(30).toNanos();

  private final long betweenCalls;
  private final LongSupplier nanoTime;
  private final Pause pause;
  private long nextCall;
  private long restedAt;

  /** Waits; returns earlier when waiting is useless. */
  interface Pause {
    void nanos(long nanos) throws InterruptedException;
  }

  StatusRateLimiter(Duration betweenCalls, LongSupplier nanoTime, Pause pause) {
    this.betweenCalls = betweenCalls.toNanos();
    this.nanoTime = nanoTime;
    this.pause = pause;
    this.nextCall = nanoTime.getAsLong();
    this.restedAt = nextCall;
  }

  /** Waits until the next call is allowed, and counts it. */
  void beforeCall() throws InterruptedException {
    long now = nanoTime.getAsLong();
    if (nextCall - now > 0) {
      pause.nanos(nextCall - now);
    } else {
      nextCall = now;
    }
    nextCall += betweenCalls;
  }

  /** Waits until work is allowed again. */
  void beforeWork() throws InterruptedException {
    long rest = restedAt - nanoTime.getAsLong();
    if (rest > WORTH_A_REST) {
      pause.nanos(rest);
    }
  }

  /** Reports the duration of work. */
  void worked(long nanos) {
    long now = nanoTime.getAsLong();
    long from = restedAt - now > 0 ? restedAt : now;
    restedAt = from + Math.min(REST * nanos, LONGEST_REST);
  }
}
