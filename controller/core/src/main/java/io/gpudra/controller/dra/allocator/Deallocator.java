package io.gpudra.controller.dra.allocator;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.events.ClaimEventRecorder;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.loop.ReconcileResult;
import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Deallocates a claim. Devices are released last: while the API shows the old allocation, or a
 * write of it could still land, allocating the same devices again would be a double allocation,
 * also for a new leader that reads the claims (protocol.md F5).
 *
 * <p>Each method returns the outcome, which is empty when another client wrote in between. This is
 * normal here: a generated claim is deleted milliseconds after its deallocation was requested.
 */
public record Deallocator(
    ClaimStore claims,
    Driver<?> driver,
    ClaimLocks claimLocks,
    ClaimFeed feed,
    ClaimEventRecorder claimEventRecorder) {
  /** Empties the status, releases the devices, removes our finalizer. */
  public Optional<ReconcileResult> deallocate(WorkKey work, ClaimFacts claim) {
    return owning(work, claim, () -> writeDeallocation(work, claim));
  }

  /** Removes our finalizer from a claim that this driver has not allocated. */
  public Optional<ReconcileResult> removeFinalizer(WorkKey work, ClaimFacts claim) {
    return owning(
        work,
        claim,
        () ->
            claim.deallocationRequested() && claim.allocation().isEmpty()
                ? writeDeallocation(work, claim)
                : writeFinalizerRemoval(work, claim));
  }

  private Optional<ReconcileResult> writeDeallocation(WorkKey work, ClaimFacts claim) {
    if (claim.allocatedByUs()) {
      claimEventRecorder.releasing(claim);
    }
    // The status of a deleted claim is deleted with it.
    boolean keepDriverName = !claim.deleting() && driver.mayStillBePrepared(claim.uid());
    WriteOutcome outcome = claims.deallocate(claim, keepDriverName);
    return switch (outcome.kind()) {
      case DONE -> {
        releaseDevices(work, claim);
        yield outcome
            .now()
            .filter(ClaimFacts::hasFinalizer)
            .map(now -> writeFinalizerRemoval(work, now))
            .orElse(Optional.of(ReconcileResult.done()));
      }
      case CONFLICT -> Optional.empty();
      case GONE -> {
        releaseDevices(work, claim);
        yield Optional.of(ReconcileResult.done());
      }
      case REJECTED -> {
        claimEventRecorder.releaseRejected(claim);
        yield Optional.of(ReconcileResult.again());
      }
      case UNCLEAR -> Optional.of(ReconcileResult.again());
    };
  }

  private Optional<ReconcileResult> writeFinalizerRemoval(WorkKey work, ClaimFacts claim) {
    return switch (claims.removeFinalizer(claim).kind()) {
      case DONE, GONE -> {
        releaseDevices(work, claim);
        yield Optional.of(ReconcileResult.done());
      }
      case CONFLICT -> Optional.empty();
      case REJECTED -> {
        claimEventRecorder.finalizerKept(claim);
        yield Optional.of(ReconcileResult.again());
      }
      case UNCLEAR -> Optional.of(ReconcileResult.again());
    };
  }

  private void releaseDevices(WorkKey work, ClaimFacts claim) {
    driver.release(claim.uid(), work.owner());
    feed.refresh(claim.ref(), claim.uid());
  }

  private Optional<ReconcileResult> owning(
      WorkKey work, ClaimFacts claim, Supplier<Optional<ReconcileResult>> action) {
    ImmutableSet<ClaimUid> uid = ImmutableSet.of(claim.uid());
    if (!claimLocks.acquire(uid, work)) {
      // Its owner requeues this claim later.
      return Optional.of(ReconcileResult.done());
    }
    try {
      return action.get();
    } finally {
      claimLocks.release(uid, work);
    }
  }
}
