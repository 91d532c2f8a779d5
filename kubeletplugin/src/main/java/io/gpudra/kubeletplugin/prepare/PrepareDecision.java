package io.gpudra.kubeletplugin.prepare;

import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;

/**
 * The permission of a prepare call to go on.
 *
 * @param refusal the reason against it; only the kinds WAIT and REFUSED show it
 */
record PrepareDecision(Kind kind, PrepareRefusal refusal) {

  private static final PrepareRefusal NONE = new PrepareRefusal(PrepareRefusal.Kind.FAILED, "");

  static final PrepareDecision BEGIN = new PrepareDecision(Kind.BEGIN, NONE);
  static final PrepareDecision REUSE = new PrepareDecision(Kind.REUSE, NONE);
  static final PrepareDecision UNDO_FIRST = new PrepareDecision(Kind.UNDO_FIRST, NONE);
  static final PrepareDecision ASK_FIRST = new PrepareDecision(Kind.ASK_FIRST, NONE);

  enum Kind {
    /** The devices are held and the claim is locked. */
    BEGIN,
    /** The claim is prepared and locked. */
    REUSE,
    /** The claim is half done and locked. */
    UNDO_FIRST,
    /** The grant may be outdated by now. */
    ASK_FIRST,
    /** Another claim or call must finish first. */
    WAIT,
    /** There is nothing to wait for. */
    REFUSED
  }

  static PrepareDecision waitFor(String obstacle) {
    return new PrepareDecision(Kind.WAIT, new PrepareRefusal(PrepareRefusal.Kind.BUSY, obstacle));
  }

  static PrepareDecision refused(PrepareRefusal.Kind kind, String text) {
    return new PrepareDecision(Kind.REFUSED, new PrepareRefusal(kind, text));
  }
}
