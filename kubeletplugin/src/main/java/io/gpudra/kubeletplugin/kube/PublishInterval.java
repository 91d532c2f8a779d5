package io.gpudra.kubeletplugin.kube;

import io.gpudra.process.BackOff;
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
public record PublishInterval(
    Duration quiet, Duration heartbeat, Duration longestRetry, DoubleSupplier random) {

  /** How long to wait after an attempt that succeeded; a change is not made to wait longer. */
  Duration untilHeartbeat() {
    double factor = 0.9 + 0.2 * random.getAsDouble();
    return Duration.ofMillis(Math.round(heartbeat.toMillis() * factor));
  }

  /** How long to wait after the given number of failures in a row, at least one. */
  Duration untilRetry(int failures) {
    return new BackOff(quiet, longestRetry).after(failures, random.getAsDouble());
  }
}
