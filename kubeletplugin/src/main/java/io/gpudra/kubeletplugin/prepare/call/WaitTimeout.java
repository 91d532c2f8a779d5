package io.gpudra.kubeletplugin.prepare.call;

import java.time.Duration;

/**
 * The maximum time that a call waits for a device or for another call.
 *
 * @param margin left before the caller's deadline, so that the answer that names the holder arrives
 * @param withoutDeadline used when the caller has no deadline
 */
public record WaitTimeout(Duration margin, Duration withoutDeadline) {

  /** The timeout for the kubelet's 45 s. */
  public static final WaitTimeout KUBELET =
      new WaitTimeout(Duration.ofSeconds(5), Duration.ofSeconds(40));

  /** The limit in terms of {@link System#nanoTime()}. */
  public long limitNanos(PrepareCall call) {
    return call.endsAtNanos()
        .map(end -> end - margin.toNanos())
        .orElseGet(() -> System.nanoTime() + withoutDeadline.toNanos());
  }
}
