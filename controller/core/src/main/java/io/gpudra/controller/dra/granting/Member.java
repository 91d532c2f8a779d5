package io.gpudra.controller.dra.granting;

import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.Handle;
import io.gpudra.controller.dra.telling.Loss;
import java.util.Optional;

/**
 * One claim of a batch on its way to being granted.
 *
 * @param seen the claim as the next write expects it
 */
public record Member(ClaimFacts seen, Handle handle, State state) {

  /** Where a member is. Everything but {@link #OPEN} is final. */
  enum State {
    /** Not granted, or not known to be. */
    OPEN,
    GRANTED,
    /** The object is gone or another one has its name. */
    GONE,
    /** Its end was asked for before it was granted. */
    ENDING,
    /** Somebody else allocated it. */
    TAKEN,
    /** Its class is another driver's now. */
    FOREIGN,
    /** The server refuses the write for good. */
    REJECTED,
    /** Another member of the pod was lost before any grant was written. */
    ABORTED
  }

  static Member open(ClaimFacts seen, Handle handle) {
    return new Member(seen, handle, State.OPEN);
  }

  Member at(ClaimFacts now) {
    return new Member(now, handle, state);
  }

  Member ends(State end) {
    return new Member(seen, handle, end);
  }

  boolean open() {
    return state == State.OPEN;
  }

  /** No write that grants this claim can still land. */
  boolean lost() {
    return !open() && state != State.GRANTED;
  }

  /** What to tell of it, unless it is granted or only gave up because of another. */
  public Optional<Loss> loss() {
    return switch (state) {
      case OPEN, GRANTED, ABORTED -> Optional.empty();
      case GONE -> Optional.of(Loss.GONE);
      case ENDING -> Optional.of(Loss.ENDING);
      case TAKEN -> Optional.of(Loss.TAKEN);
      case FOREIGN -> Optional.of(Loss.FOREIGN);
      case REJECTED -> Optional.of(Loss.REJECTED);
    };
  }
}
