package io.gpudra.kubeletplugin.rpc;

/**
 * What the kubelet last said about this plugin.
 *
 * @param error why it was refused; empty otherwise
 */
public record KubeletRegistration(State state, String error) {

  static final KubeletRegistration AWAITED = new KubeletRegistration(State.AWAITED, "");

  /** Whether the kubelet will call. */
  public enum State {
    /** The kubelet said nothing yet. */
    AWAITED,
    REGISTERED,
    REFUSED
  }
}
