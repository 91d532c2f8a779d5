package io.gpudra.simulator.actor;

import java.time.Duration;
import java.util.Random;

/**
 * Waiting times of the actors: those of a real cluster, or short ones for a demo.
 *
 * @param schedulerBackoff after the first failed attempt of a pod, doubled after each further one
 * @param schedulerBackoffMax maximum of the back-off
 * @param prepareRetry from a failed preparation to the next
 * @param podRetry from another failure of a pod on its node to the next attempt
 * @param registrationScan between two scans of the plugin registration directory
 * @param rpcDeadline of one call of a plugin
 * @param containerStop from the request to stop containers to their end
 */
public record Timings(
    Duration schedulerBackoff,
    Duration schedulerBackoffMax,
    Spread prepareRetry,
    Spread podRetry,
    Duration registrationScan,
    Duration rpcDeadline,
    Duration containerStop) {

  /** A time between two bounds. */
  public record Spread(Duration least, Duration most) {
    public Duration draw(Random random) {
      long span = most.minus(least).toMillis() + 1;
      return least.plusMillis((long) (random.nextDouble() * span));
    }
  }

  /** As seen on Kubernetes 1.30.14. */
  public static final Timings REAL =
      new Timings(
          Duration.ofSeconds(1),
          Duration.ofSeconds(10),
          new Spread(Duration.ofSeconds(60), Duration.ofSeconds(90)),
          new Spread(Duration.ofSeconds(10), Duration.ofSeconds(15)),
          Duration.ofSeconds(1),
          Duration.ofSeconds(45),
          Duration.ofSeconds(2));

  /** Short waits in the same order. */
  public static final Timings QUICK =
      new Timings(
          Duration.ofMillis(50),
          Duration.ofMillis(500),
          new Spread(Duration.ofMillis(600), Duration.ofMillis(900)),
          new Spread(Duration.ofMillis(100), Duration.ofMillis(150)),
          Duration.ofMillis(50),
          Duration.ofSeconds(45),
          Duration.ofMillis(100));
}
