package io.gpudra.kubeletplugin.kube;

import io.gpudra.process.BackOff;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * The times between publications.
 *
 * @param quiet minimum time between two publications; changes in between go into the second
 * @param heartbeat time between publications when nothing changes
 * @param longestRetry maximum time between attempts that fail
 * @param random from 0 to 1, so that plugins started together do not stay together
 */
public record PublishInterval(
    Duration quiet, Duration heartbeat, Duration longestRetry, DoubleSupplier random) {

  /** The delay after an attempt that succeeded; a change does not wait for it. */
  Duration untilHeartbeat() {
    double factor = 0.9 + 0.2 * random.getAsDouble();
    return Duration.ofMillis(Math.round(heartbeat.toMillis() * factor));
  }

  /** The delay after this number of failures in a row, at least one. */
  Duration untilRetry(int failures) {
    return new BackOff(quiet, longestRetry).after(failures, random.getAsDouble());
  }
}
