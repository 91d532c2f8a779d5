package io.gpudra.controller.kube;

import java.time.Clock;

/**
 * What the cluster's side needs to know.
 *
 * @param driverName the name classes and handles carry; prefix of our finalizer, our field manager
 * @param serverMinor 27 for Kubernetes 1.27; decides how generated claims are named
 * @param clock for event times and for saying since when a node is silent; no decision reads it
 */
public record KubeSettings(String driverName, int serverMinor, Clock clock) {
  /** For who reads no pods. */
  public static final int ANY_MINOR = 30;

  /** Our mark on a claim that may hold, or still holds, devices (protocol.md 1.8). */
  public String finalizer() {
    return driverName + "/deletion-protection";
  }
}
