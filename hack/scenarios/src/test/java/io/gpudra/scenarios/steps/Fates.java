package io.gpudra.scenarios.steps;

import java.io.IOException;

/** What becomes of the calls of a process, and who else works while one is under way. */
interface Fates {

  /** How a write can end, for the server and for the process that sent it. */
  enum Fate {
    ANSWERED,
    /** Stored, but nobody hears of it. */
    REPLY_LOST,
    /** Never arrives. */
    REQUEST_LOST,
    /** Arrives after the process has given up waiting. */
    LATE,
    /** A webhook says no, this time. */
    REFUSED,
    DIES_BEFORE,
    DIES_AFTER,
    /** The process dies, and its write arrives afterwards. */
    DIES_LATE;

    boolean dies() {
      return this == DIES_BEFORE || this == DIES_AFTER || this == DIES_LATE;
    }
  }

  /** A controller sends a write. */
  Fate ofWrite(Controller who, String write);

  /** Whether a read of a controller gets no answer. */
  boolean losesRead(Controller who);

  /** A controller waits for the server: the rest of the world goes on. */
  void during(Controller who);

  /**
   * A plugin is about to touch its node, or has just done so.
   *
   * @throws IOException when the operation fails
   * @throws Death when the process dies there
   */
  void at(Machine machine, String operation, boolean before) throws IOException;

  /** Whether an answer to a call of this kind does not reach the kubelet, or the plugin. */
  boolean losesAnswer(Machine machine, String call);
}
