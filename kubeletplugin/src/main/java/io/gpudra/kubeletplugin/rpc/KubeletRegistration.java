package io.gpudra.kubeletplugin.rpc;

/**
 * The last registration status of this plugin from the kubelet.
 *
 * @param error the reason of a refusal; empty otherwise
 */
public record KubeletRegistration(State state, String error) {

  static final KubeletRegistration AWAITED = new KubeletRegistration(State.AWAITED, "");

  /** Whether the kubelet will call. */
  public enum State {
    /** The kubelet has not answered yet. */
    AWAITED,
    REGISTERED,
    REFUSED
  }
}
