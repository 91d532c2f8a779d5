package io.gpudra.controller.dra;

import io.gpudra.controller.dra.facts.ClaimFacts;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What became of a write.
 *
 * @param now the object as the server answered it, present after {@link Kind#DONE} unless the write
 *     removed it
 */
public record WriteOutcome(Kind kind, Optional<ClaimFacts> now) {

  /** How a write can end. */
  public enum Kind {
    /** The server stored it, or it was stored already. */
    DONE,
    /** Somebody wrote in between; nothing was stored. */
    CONFLICT,
    /** The object is gone, or another one has its name; nothing was stored. */
    GONE,
    /** The server will never accept this; nothing was stored. */
    REJECTED,
    /** No answer, or one that does not tell: it may have been stored, or may still be. */
    UNCLEAR
  }

  /** An outcome that carries no object. */
  public static WriteOutcome of(Kind kind) {
    return new WriteOutcome(kind, Optional.empty());
  }

  /**
   * What needs no call, since the newest that is known of the claim tells already.
   *
   * @param seen what the write was decided on
   * @param alreadySo whether nothing is left to write
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

  /** Stored, and this is how it looks now. */
  public static WriteOutcome done(ClaimFacts now) {
    return new WriteOutcome(Kind.DONE, Optional.of(now));
  }
}
