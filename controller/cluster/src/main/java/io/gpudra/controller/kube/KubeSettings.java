package io.gpudra.controller.kube;

import java.time.Clock;

/**
 * Settings of the cluster adapter.
 *
 * @param driverName name in classes and handles; prefix of our finalizer, our field manager
 * @param serverMinor 27 for Kubernetes 1.27; decides the names of generated claims
 * @param clock for times in events and messages only; not used for decisions
 */
public record KubeSettings(String driverName, int serverMinor, Clock clock) {
  /** For callers that do not read pods. */
  public static final int ANY_MINOR = 30;

  /** Our finalizer on claims that hold, or may hold, devices (protocol.md 1.8). */
  public String finalizer() {
    return driverName + "/deletion-protection";
  }
}
