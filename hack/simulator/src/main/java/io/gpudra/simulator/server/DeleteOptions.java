package io.gpudra.simulator.server;

import java.util.Optional;

/**
 * How to delete.
 *
 * @param graceSeconds of pods; empty for the pod's own
 * @param uid precondition; empty for none
 * @param revision precondition; empty for none
 */
public record DeleteOptions(
    Optional<Integer> graceSeconds, String uid, String revision, boolean dryRun) {

  /** Without preconditions. */
  public static DeleteOptions grace(Optional<Integer> seconds) {
    return new DeleteOptions(seconds, "", "", false);
  }
}
