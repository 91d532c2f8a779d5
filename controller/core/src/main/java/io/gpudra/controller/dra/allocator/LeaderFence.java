package io.gpudra.controller.dra.allocator;

import static java.util.Comparator.comparing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.ContextStore;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.events.ClaimEventRecorder;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.loop.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The work of a new leader before its first commit: it fences off writes of the old leader, and
 * restores the memory of allocated devices.
 *
 * <p>Every status write of a leader follows the finalizer write on the same claim. Once our
 * finalizer is removed from each claim that is not allocated, every status write that the old
 * leader may still have in flight carries an outdated resourceVersion and cannot land.
 */
public record LeaderFence(
    ClaimStore claims,
    ContextStore contexts,
    ClaimFeed feed,
    Requeuer requeuer,
    ClaimEventRecorder claimEventRecorder) {
  private static final int ATTEMPTS = 10;

  /** Whether no claim has a finalizer or an allocation of a former leader; false if unknown. */
  public boolean isFirst() {
    try {
      return claims.liveList().stream()
          .noneMatch(claim -> claim.hasFinalizer() || claim.allocatedByUs());
    } catch (ApiUnavailableException e) {
      return false;
    }
  }

  /**
   * Runs after the lease is acquired and before any loop works. Repeatable.
   *
   * @return contexts of pods with some claims allocated, oldest first; they are reconciled before
   *     all others
   * @throws ApiUnavailableException when the fence is incomplete; no device may be allocated then
   */
  public ImmutableList<ObjectKey> run() throws ApiUnavailableException {
    // Before the first list, so that no event after the list is missed.
    requeuer.begin();
    List<ClaimFacts> fenced = new ArrayList<>();
    for (ClaimFacts claim : claims.liveList()) {
      fence(claim).ifPresent(fenced::add);
      requeuer.wake(claim);
    }
    contexts.all().forEach(context -> requeuer.contextChanged(context.key()));
    return halfDone(fenced);
  }

  private Optional<ClaimFacts> fence(ClaimFacts listed) throws ApiUnavailableException {
    Optional<ClaimFacts> claim = Optional.of(listed);
    boolean refused = false;
    for (int i = 0; i < ATTEMPTS && claim.filter(LeaderFence::halfWritten).isPresent(); i++) {
      WriteOutcome outcome = claims.removeFinalizer(claim.get());
      refused = outcome.kind() == Kind.REJECTED;
      claim =
          switch (outcome.kind()) {
            case DONE -> outcome.now();
            case GONE -> Optional.empty();
            case CONFLICT, UNCLEAR, REJECTED -> claims.live(listed.ref());
          };
    }
    if (claim.filter(LeaderFence::halfWritten).isPresent()) {
      leaveOpen(claim.get(), refused);
    }
    // The newest state, not the listed one: a deletion since the list is passed on only once.
    feed.refresh(listed.ref(), listed.uid());
    return claim;
  }

  /**
   * One claim that cannot be changed, perhaps because of a webhook, must not block all others. If
   * the old leader still writes it, the worst case is a double allocation: it is noticed here, and
   * the node prepares only one of its claims.
   */
  private void leaveOpen(ClaimFacts claim, boolean refused) throws ApiUnavailableException {
    if (!refused) {
      throw new ApiUnavailableException("drop the finalizer of claim " + claim.ref());
    }
    claimEventRecorder.finalizerKept(claim);
  }

  private static boolean halfWritten(ClaimFacts claim) {
    return claim.hasFinalizer() && claim.allocation().isEmpty();
  }

  private ImmutableList<ObjectKey> halfDone(List<ClaimFacts> fenced) {
    ImmutableSet<String> served =
        fenced.stream()
            .filter(ClaimFacts::allocatedByUs)
            .flatMap(claim -> claim.reservedFor().stream())
            .collect(ImmutableSet.toImmutableSet());
    return contexts.all().stream()
        .filter(context -> served.contains(context.pod().uid()))
        .sorted(comparing(ContextFacts::created).thenComparing(ContextFacts::uid))
        .map(ContextFacts::key)
        .collect(ImmutableList.toImmutableList());
  }
}
