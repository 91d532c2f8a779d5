package io.gpudra.kubeletplugin.prepare.call;

/** The reason why a call failed; its steps so far are undone, or restored. */
public record PrepareRefusal(Kind kind, String text) {

  /** The possible reactions of the caller. */
  public enum Kind {
    /** The handle is not for this claim or this node: repeating does not help. */
    INVALID,
    /** The node has no such device. */
    NO_DEVICE,
    /** Another claim or call holds the device: repeat later. */
    BUSY,
    /** The caller is gone, or its time is over. */
    CANCELLED,
    /** The node failed: repeat later. */
    FAILED
  }

  /** Adds a later failure. */
  public PrepareRefusal and(PrepareRefusal later) {
    return new PrepareRefusal(kind, text + "; " + later.text());
  }
}
