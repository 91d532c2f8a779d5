package io.gpudra.controller.status;

import io.gpudra.controller.loop.ControllerDelays;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Limits the rate of calls and the time of work: of a namespace to a tenth, of all namespaces to a
 * half. Confined to one thread.
 */
final class StatusRateLimiter {

  /** The rest of a namespace, as a multiple of the time of its work. */
  private static final int PAUSE_FACTOR = 9;

  private static final long MIN_PAUSE = ControllerDelays.MIN_STATUS_PAUSE.toNanos();
  private static final long MIN_NAMESPACE_PAUSE =
      ControllerDelays.MIN_STATUS_NAMESPACE_PAUSE.toNanos();
  private static final long MAX_PAUSE = ControllerDelays.MAX_STATUS_PAUSE.toNanos();

  private final long betweenCalls;
  private final LongSupplier nanoTime;
  private final Pause pause;
  private long nextCall;
  private long nextWork;

  /** By namespace, without those that have rested. */
  private final Map<String, Long> restedAt = new HashMap<>();

  /** Waits; returns earlier when waiting is useless. */
  interface Pause {
    void nanos(long nanos) throws InterruptedException;
  }

  StatusRateLimiter(Duration betweenCalls, LongSupplier nanoTime, Pause pause) {
    this.betweenCalls = betweenCalls.toNanos();
    this.nanoTime = nanoTime;
    this.pause = pause;
    this.nextCall = nanoTime.getAsLong();
    this.nextWork = nextCall;
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
    long rest = nextWork - nanoTime.getAsLong();
    if (rest > MIN_PAUSE) {
      pause.nanos(rest);
    }
  }

  /** The time until this namespace may cause work again; zero if it may now. */
  Duration rest(String namespace) {
    long now = nanoTime.getAsLong();
    long rest = restedAt.getOrDefault(namespace, now) - now;
    return rest > MIN_NAMESPACE_PAUSE ? Duration.ofNanos(rest) : Duration.ZERO;
  }

  /** Reports the duration of work that a namespace caused. */
  void worked(String namespace, long nanos) {
    long now = nanoTime.getAsLong();
    restedAt.values().removeIf(at -> at - now <= 0);
    restedAt.put(namespace, restedAt.getOrDefault(namespace, now) + PAUSE_FACTOR * nanos);
    worked(nanos);
  }

  /** Reports the duration of work that no namespace caused. */
  void worked(long nanos) {
    long now = nanoTime.getAsLong();
    nextWork = now + Math.max(nextWork - now, 0) + Math.min(nanos, MAX_PAUSE);
  }
}
