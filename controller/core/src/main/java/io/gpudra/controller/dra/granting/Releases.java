package io.gpudra.controller.dra.granting;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.Claims;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.telling.Warnings;
import io.gpudra.controller.loop.Outcome;
import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Takes a claim out of our hands. Devices are given back last: while the API shows the old grant,
 * or a write of it could still land, a second grant of the same devices would be a double one, also
 * for a new leader that reads the claims (protocol.md F5).
 *
 * <p>Each method answers how the work ended, or nothing when somebody wrote in between: that is
 * normal here, since a generated claim is deleted milliseconds after its release was asked for.
 */
public final class Releases {
  private final Claims claims;
  private final Driver<?> driver;
  private final Ownership ownership;
  private final ClaimFeed feed;
  private final Warnings warnings;

  public Releases(
      Claims claims, Driver<?> driver, Ownership ownership, ClaimFeed feed, Warnings warnings) {
    this.claims = claims;
    this.driver = driver;
    this.ownership = ownership;
    this.feed = feed;
    this.warnings = warnings;
  }

  /** Clears the status, gives the devices back, drops our finalizer. */
  public Optional<Outcome> release(WorkKey work, ClaimFacts claim) {
    return owning(work, claim, () -> cleared(work, claim));
  }

  /** Drops our finalizer from a claim that holds no grant of ours. */
  public Optional<Outcome> unguard(WorkKey work, ClaimFacts claim) {
    return owning(
        work,
        claim,
        () ->
            claim.deallocationRequested() && claim.allocation().isEmpty()
                ? cleared(work, claim)
                : unguarded(work, claim));
  }

  private Optional<Outcome> cleared(WorkKey work, ClaimFacts claim) {
    if (claim.allocatedByUs()) {
      warnings.releasing(claim);
    }
    // A claim that is deleted takes its status along.
    boolean lingers = !claim.deleting() && driver.lingers(claim.uid());
    WriteOutcome outcome = claims.clear(claim, lingers);
    return switch (outcome.kind()) {
      case DONE -> {
        giveBack(work, claim);
        yield outcome
            .now()
            .filter(ClaimFacts::guarded)
            .map(now -> unguarded(work, now))
            .orElse(Optional.of(Outcome.done()));
      }
      case CONFLICT -> Optional.empty();
      case GONE -> {
        giveBack(work, claim);
        yield Optional.of(Outcome.done());
      }
      case REJECTED -> {
        warnings.releaseRejected(claim);
        yield Optional.of(Outcome.again());
      }
      case UNCLEAR -> Optional.of(Outcome.again());
    };
  }

  private Optional<Outcome> unguarded(WorkKey work, ClaimFacts claim) {
    return switch (claims.unguard(claim).kind()) {
      case DONE, GONE -> {
        giveBack(work, claim);
        yield Optional.of(Outcome.done());
      }
      case CONFLICT -> Optional.empty();
      case REJECTED -> {
        warnings.finalizerKept(claim);
        yield Optional.of(Outcome.again());
      }
      case UNCLEAR -> Optional.of(Outcome.again());
    };
  }

  private void giveBack(WorkKey work, ClaimFacts claim) {
    driver.release(claim.uid(), work.owner());
    feed.lookAgain(claim.ref(), claim.uid());
  }

  private Optional<Outcome> owning(
      WorkKey work, ClaimFacts claim, Supplier<Optional<Outcome>> action) {
    ImmutableSet<ClaimUid> uid = ImmutableSet.of(claim.uid());
    if (!ownership.acquire(uid, work)) {
      // Whoever owns it wakes us.
      return Optional.of(Outcome.done());
    }
    try {
      return action.get();
    } finally {
      ownership.release(uid, work);
    }
  }
}
