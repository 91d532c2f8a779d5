package io.gpudra.controller.dra.allocator;

import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import java.util.Optional;

/**
 * One claim of a batch that is being allocated.
 *
 * @param seen the claim as the next write expects it
 */
public record BatchMember(ClaimFacts seen, ResourceHandle handle, State state) {

  /** The state of a member. All states but {@link #OPEN} are final. */
  enum State {
    /** Not known to be granted. */
    OPEN,
    GRANTED,
    /** The object is gone, or another one has its name. */
    GONE,
    /** Its deletion or deallocation was requested before it was granted. */
    ENDING,
    /** Another controller allocated it. */
    TAKEN,
    /** Its class now names another driver. */
    FOREIGN,
    /** The server permanently rejects the write. */
    REJECTED,
    /** Another member of the pod was lost before any grant was written. */
    ABORTED
  }

  static BatchMember open(ClaimFacts seen, ResourceHandle handle) {
    return new BatchMember(seen, handle, State.OPEN);
  }

  BatchMember withFacts(ClaimFacts now) {
    return new BatchMember(now, handle, state);
  }

  BatchMember withState(State end) {
    return new BatchMember(seen, handle, end);
  }

  boolean open() {
    return state == State.OPEN;
  }

  /** Whether no write that grants this claim can land any more. */
  boolean lost() {
    return !open() && state != State.GRANTED;
  }

  /** The loss to report, unless it is granted or was only given up because of another member. */
  public Optional<Kind> loss() {
    return switch (state) {
      case OPEN, GRANTED, ABORTED -> Optional.empty();
      case GONE -> Optional.of(Kind.CLAIM_GONE);
      case ENDING -> Optional.of(Kind.CLAIM_ENDING);
      case TAKEN -> Optional.of(Kind.CLAIM_TAKEN);
      case FOREIGN -> Optional.of(Kind.CLASS_FOREIGN);
      case REJECTED -> Optional.of(Kind.WRITE_REJECTED);
    };
  }
}
