package io.gpudra.controller.dra.allocator;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.ClassStore;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.allocator.BatchMember.State;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

/**
 * Writes one member's grant into its claim: our finalizer, then the status. After a conflict it
 * reads the claim and writes again. A write without a clear answer leaves the member open, and the
 * next time it sends the identical write: only a clear answer or a newer resourceVersion shows that
 * the first write cannot land any more.
 *
 * @param writes runs the writes of a batch
 */
public record GrantWriter(
    ClaimStore claims, ClassStore classes, String driverName, Executor writes) {
  private static final int ATTEMPTS = 5;

  /** Takes a step for each member, side by side. */
  ImmutableList<BatchMember> each(
      ImmutableList<BatchMember> members, UnaryOperator<BatchMember> step) {
    return members.size() == 1
        ? ImmutableList.of(step.apply(members.get(0)))
        : SideBySide.each(members, step, writes);
  }

  /** Whether no later write of the claim is known. */
  boolean unchanged(ClaimFacts seen) {
    return claims.get(seen.ref()).equals(Optional.of(seen));
  }

  /** Adds our finalizer, as far as possible now. */
  BatchMember addFinalizer(BatchMember member) {
    BatchMember now = member;
    for (int i = 0; i < ATTEMPTS && now.open() && !now.seen().hasFinalizer(); i++) {
      WriteOutcome outcome = claims.addFinalizer(now.seen());
      if (outcome.kind() == Kind.UNCLEAR) {
        return now;
      }
      now = afterFinalizer(now, outcome);
    }
    return now;
  }

  /** Writes the grant into the status, as far as possible now. */
  BatchMember allocate(BatchMember member, Optional<PodRef> reserveFor) {
    BatchMember now = member;
    for (int i = 0; i < ATTEMPTS && now.open(); i++) {
      // Another client may have removed our finalizer between two attempts.
      now = addFinalizer(now);
      if (!now.open() || !now.seen().hasFinalizer()) {
        return now;
      }
      WriteOutcome outcome = claims.allocate(now.seen(), now.handle(), reserveFor);
      if (outcome.kind() == Kind.UNCLEAR) {
        return now;
      }
      now = afterAllocate(now, outcome);
    }
    return now;
  }

  private BatchMember afterFinalizer(BatchMember member, WriteOutcome outcome) {
    return switch (outcome.kind()) {
      case DONE ->
          outcome.now().map(member::withFacts).orElseGet(() -> member.withState(State.GONE));
      case CONFLICT -> reread(member);
      case GONE -> member.withState(State.GONE);
      case REJECTED -> {
        BatchMember now = reread(member);
        yield now.open() ? now.withState(State.REJECTED) : now;
      }
      case UNCLEAR -> member;
    };
  }

  private BatchMember afterAllocate(BatchMember member, WriteOutcome outcome) {
    return switch (outcome.kind()) {
      case DONE -> outcome.now().map(member::withFacts).orElse(member).withState(State.GRANTED);
      case CONFLICT -> reread(member);
      case GONE -> member.withState(State.GONE);
      case REJECTED -> abandoned(member);
      case UNCLEAR -> member;
    };
  }

  private BatchMember reread(BatchMember member) {
    try {
      return recheck(member, claims.live(member.seen().ref()));
    } catch (ApiUnavailableException later) {
      return member;
    }
  }

  /** Whether the member can still be granted, by a live read. */
  private BatchMember recheck(BatchMember member, Optional<ClaimFacts> live) {
    Optional<ClaimFacts> same = live.filter(now -> now.uid().equals(member.seen().uid()));
    if (same.isEmpty()) {
      return member.withState(State.GONE);
    }
    ClaimFacts now = same.get();
    if (now.allocation().isPresent()) {
      return member
          .withFacts(now)
          .withState(holds(now, member.handle()) ? State.GRANTED : State.TAKEN);
    }
    if (now.ending()) {
      return member.withFacts(now).withState(State.ENDING);
    }
    return foreign(now) ? member.withFacts(now).withState(State.FOREIGN) : member.withFacts(now);
  }

  /**
   * Gives up a status write that may have been sent before. Removing our finalizer changes the
   * resourceVersion, so that no earlier write can land unnoticed.
   */
  private BatchMember abandoned(BatchMember member) {
    BatchMember now = reread(member);
    for (int i = 0; i < ATTEMPTS && now.open() && now.seen().hasFinalizer(); i++) {
      WriteOutcome outcome = claims.removeFinalizer(now.seen());
      switch (outcome.kind()) {
        case DONE, GONE -> {
          return outcome.now().map(now::withFacts).orElse(now).withState(State.REJECTED);
        }
        case CONFLICT -> now = reread(now);
        case REJECTED, UNCLEAR -> {
          return now;
        }
      }
    }
    return now.open() && !now.seen().hasFinalizer() ? now.withState(State.REJECTED) : now;
  }

  private boolean foreign(ClaimFacts claim) {
    ClassState state = ClassState.of(classes.get(claim.className()), driverName);
    return claim.hasBuiltinFinalizer()
        || state == ClassState.OTHER
        || state == ClassState.STRUCTURED;
  }

  private static boolean holds(ClaimFacts claim, ResourceHandle handle) {
    return claim
        .allocation()
        .flatMap(Granted::ours)
        .filter(ours -> ours.data().equals(handle.data()))
        .isPresent();
  }
}
