package io.gpudra.crds.model;

import java.time.Instant;
import java.util.Optional;

/**
 * Why claims should keep away from a GPU; the meaning is that of node taints.
 *
 * @param value empty when there is none
 * @param reason for people; empty when nobody gave one
 * @param since when it was put there, as far as that is known
 * @param until when it ends by itself
 */
public record DeviceTaint(
    String key,
    String value,
    Effect effect,
    String reason,
    Optional<Instant> since,
    Optional<Instant> until) {

  /** What becomes of claims that do not tolerate it. */
  public enum Effect {
    /** No new grants. */
    NO_SCHEDULE,
    /** No new grants, and pods that use the GPU are evicted. */
    NO_EXECUTE
  }

  /** Whether it still holds. */
  public boolean at(Instant now) {
    return until.filter(end -> !end.isAfter(now)).isEmpty();
  }
}
