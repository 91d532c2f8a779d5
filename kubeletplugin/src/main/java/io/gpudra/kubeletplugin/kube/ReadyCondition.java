package io.gpudra.kubeletplugin.kube;

import io.gpudra.crds.inventory.InventoryCodec;

/**
 * Whether the node can take new claims, as in condition Ready.
 *
 * @param reason one machine-readable word
 * @param message for people
 */
public record ReadyCondition(boolean ready, String reason, String message) {

  static final String STOPPED_REASON = "Stopped";

  /** The kubelet has not registered the plugin yet. */
  public static final ReadyCondition STARTING =
      new ReadyCondition(false, "Starting", "waiting for the kubelet to register the plugin");

  /** The kubelet calls the plugin. */
  public static final ReadyCondition SERVING = new ReadyCondition(true, InventoryCodec.SERVING, "");

  /** The plugin was stopped in good order; prepared claims stay prepared. */
  public static final ReadyCondition STOPPED =
      new ReadyCondition(false, STOPPED_REASON, "the plugin was stopped");

  /** The kubelet refused the plugin. */
  public static ReadyCondition refused(String error) {
    return new ReadyCondition(false, "RegistrationRefused", error);
  }
}
