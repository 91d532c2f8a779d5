package io.gpudra.kubeletplugin.prepare;

import io.gpudra.kubeletplugin.prepare.call.Refusal;

/**
 * The permission of a prepare call to go on.
 *
 * @param refusal why it may not; only the kinds WAIT and REFUSED show it
 */
record Turn(Kind kind, Refusal refusal) {

  private static final Refusal NONE = new Refusal(Refusal.Kind.FAILED, "");

  static final Turn BEGIN = new Turn(Kind.BEGIN, NONE);
  static final Turn REUSE = new Turn(Kind.REUSE, NONE);
  static final Turn UNDO_FIRST = new Turn(Kind.UNDO_FIRST, NONE);
  static final Turn ASK_FIRST = new Turn(Kind.ASK_FIRST, NONE);

  enum Kind {
    /** The devices are taken and the claim is locked. */
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

  static Turn waitFor(String obstacle) {
    return new Turn(Kind.WAIT, new Refusal(Refusal.Kind.BUSY, obstacle));
  }

  static Turn refused(Refusal.Kind kind, String text) {
    return new Turn(Kind.REFUSED, new Refusal(kind, text));
  }
}
