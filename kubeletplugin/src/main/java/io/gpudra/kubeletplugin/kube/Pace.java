package io.gpudra.kubeletplugin.kube;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * When to publish next.
 *
 * @param quiet least time between two publications; what changes meanwhile goes into the second
 * @param heartbeat time between publications when nothing changes
 * @param longestRetry most time between attempts that fail
 * @param random from 0 to 1, so that plugins started together do not stay together
 */
public record Pace(
    Duration quiet, Duration heartbeat, Duration longestRetry, DoubleSupplier random) {

  private static final int MOST_DOUBLINGS = 20;

  /** How long to wait after an attempt that succeeded; a change is not made to wait longer. */
  Duration untilHeartbeat() {
    return scaled(heartbeat, 0.9 + 0.2 * random.getAsDouble());
  }

  /** How long to wait after the given number of failures in a row, at least one. */
  Duration untilRetry(int failures) {
    long doubled = quiet.toMillis() << Math.min(failures - 1, MOST_DOUBLINGS);
    return scaled(
        Duration.ofMillis(Math.min(doubled, longestRetry.toMillis())),
        0.5 + 0.5 * random.getAsDouble());
  }

  private static Duration scaled(Duration duration, double factor) {
    return Duration.ofMillis(Math.round(duration.toMillis() * factor));
  }
}
