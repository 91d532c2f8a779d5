package io.gpudra.kubeletplugin.kube;

import io.gpudra.crds.inventory.InventoryCodec;

/**
 * Whether the node can take new claims, as in condition Ready.
 *
 * @param reason one machine-readable word
 * @param message for people
 */
public record Readiness(boolean ready, String reason, String message) {

  static final String STOPPED_REASON = "Stopped";

  /** The kubelet has not registered the plugin yet. */
  public static final Readiness STARTING =
      new Readiness(false, "Starting", "waiting for the kubelet to register the plugin");

  /** The kubelet calls the plugin. */
  public static final Readiness SERVING = new Readiness(true, InventoryCodec.SERVING, "");

  /** The plugin was stopped in good order; what is prepared stays prepared. */
  public static final Readiness STOPPED =
      new Readiness(false, STOPPED_REASON, "the plugin was stopped");

  /** The kubelet does not want the plugin. */
  public static Readiness refused(String error) {
    return new Readiness(false, "RegistrationRefused", error);
  }
}
