package io.gpudra.controller.client.watch;

import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import com.google.common.primitives.Longs;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.controller.client.FailureBackoff;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of the watch of one kind, and the delays after its failures. For one thread, except for
 * the getters and the stop.
 */
final class WatchBackoff {
  private static final Logger log = LoggerFactory.getLogger(WatchBackoff.class);
  private static final int NOT_FOUND = 404;
  private static final Duration MAX_REQUESTED = Duration.ofMinutes(1);

  private final String plural;
  private final Meter failures;
  private final Meter refusals;
  private final FailureBackoff backoff =
      new FailureBackoff(Duration.ofMillis(200), Duration.ofSeconds(30));
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile long lastContactNanos = System.nanoTime();
  private volatile Optional<String> refusal = Optional.empty();
  private volatile boolean missing;

  WatchBackoff(String plural, MetricRegistry metrics) {
    this.plural = plural;
    this.failures = metrics.meter("watch.failures." + plural);
    this.refusals = metrics.meter("watch.refusals." + plural);
  }

  /** The time since the server last answered as requested. */
  Duration silence() {
    return Duration.ofNanos(System.nanoTime() - lastContactNanos);
  }

  Optional<String> refusal() {
    return refusal;
  }

  boolean missing() {
    return missing;
  }

  /** The server answered as requested. */
  void answered() {
    lastContactNanos = System.nanoTime();
    missing = false;
    if (refusal.isPresent()) {
      refusal = Optional.empty();
      log.info("watch no longer refused resource={}", plural);
    }
  }

  /** The stream delivered events: the next delay is short. */
  void heard() {
    answered();
    backoff.reset();
  }

  /** The server refused; waits before the next attempt. */
  void refused(Response response) {
    missing = response.code() == NOT_FOUND;
    if (!passes(response.code())) {
      refusals.mark();
      String now = "HTTP " + response.code() + " for the watch of " + plural;
      if (!refusal.equals(Optional.of(now))) {
        refusal = Optional.of(now);
        log.warn("watch refused, trying again resource={} code={}", plural, response.code());
      }
    }
    pause("HTTP " + response.code(), askedFor(response.header("Retry-After")));
  }

  /** Whether a healthy server sometimes sends this code to a healthy client. */
  private static boolean passes(int code) {
    return switch (code) {
      case 408, 410, 429 -> true;
      default -> code >= 500;
    };
  }

  /** The server's Retry-After, with a limit. */
  static Duration askedFor(@Nullable String retryAfter) {
    Long seconds = retryAfter == null ? null : Longs.tryParse(retryAfter);
    return seconds == null || seconds <= 0
        ? Duration.ZERO
        : Duration.ofSeconds(Math.min(seconds, MAX_REQUESTED.toSeconds()));
  }

  /** The watch broke; waits before the next attempt. */
  void broken(String why) {
    pause(why, Duration.ZERO);
  }

  /**
   * The reflector's pass failed, and it lists again. An ApiException was thrown and reported here.
   */
  void failed(Throwable e) {
    if (!(e instanceof ApiException) && !stopped()) {
      log.error("watch failed unexpectedly, listing again resource={}", plural, e);
      broken("see the error above");
    }
  }

  private void pause(String why, Duration askedFor) {
    if (stopped()) {
      return;
    }
    failures.mark();
    Duration wait = backoff.next(askedFor);
    log.debug("watch broken resource={} waitMs={} why={}", plural, wait.toMillis(), why);
    if (Uninterruptibles.awaitUninterruptibly(stopped, wait)) {
      log.debug("watch ends resource={}", plural);
    }
  }

  void stop() {
    stopped.countDown();
  }

  boolean stopped() {
    return stopped.getCount() == 0;
  }
}
