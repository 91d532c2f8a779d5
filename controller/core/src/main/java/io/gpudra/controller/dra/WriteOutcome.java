package io.gpudra.controller.dra;

import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.loop.ControllerDelays;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The result of a write.
 *
 * @param now the object in the server's answer, present after {@link Kind#DONE} unless the write
 *     removed it
 */
public record WriteOutcome(Kind kind, Optional<ClaimFacts> now) {

  /** The kinds of results. */
  public enum Kind {
    /** The server stored it, or it was stored already. */
    DONE,
    /** Another client wrote in between; nothing was stored. */
    CONFLICT,
    /** The object is gone, or another one has its name; nothing was stored. */
    GONE,
    /** The server will never accept this; nothing was stored. */
    REJECTED,
    /**
     * No answer within {@link ControllerDelays#API_CALL}, or one that does not prove that nothing
     * was stored: the write may have been stored, or may still be. The claim's devices stay held,
     * and the same write is sent again.
     */
    UNCLEAR
  }

  /** An outcome that carries no object. */
  public static WriteOutcome of(Kind kind) {
    return new WriteOutcome(kind, Optional.empty());
  }

  /**
   * The result without a call, if the newest known state of the claim already decides it.
   *
   * @param seen the state on which the write was decided
   * @param alreadySo whether the write would change nothing
   */
  public static Optional<WriteOutcome> withoutCall(
      ClaimFacts seen, Optional<ClaimFacts> newest, Predicate<ClaimFacts> alreadySo) {
    Optional<ClaimFacts> now = newest.filter(claim -> claim.uid().equals(seen.uid()));
    if (now.isEmpty()) {
      return Optional.of(of(Kind.GONE));
    }
    if (alreadySo.test(now.get())) {
      return Optional.of(done(now.get()));
    }
    return now.get().resourceVersion().equals(seen.resourceVersion())
        ? Optional.empty()
        : Optional.of(of(Kind.CONFLICT));
  }

  /** The write was stored; the object has this state now. */
  public static WriteOutcome done(ClaimFacts now) {
    return new WriteOutcome(Kind.DONE, Optional.of(now));
  }
}
