package io.gpudra.kubeletplugin.prepare.call;

/** Why a call was not carried out; what it had begun is undone, or put back. */
public record PrepareRefusal(Kind kind, String text) {

  /** How the caller can react. */
  public enum Kind {
    /** The handle is not for this claim or this node: repeating does not help. */
    INVALID,
    /** The node has no such device. */
    NO_DEVICE,
    /** Another claim or call holds what is needed: repeat later. */
    BUSY,
    /** The caller went away or its time was over. */
    CANCELLED,
    /** The node failed: repeat later. */
    FAILED
  }

  /** Adds a later failure. */
  public PrepareRefusal and(PrepareRefusal later) {
    return new PrepareRefusal(kind, text + "; " + later.text());
  }
}
