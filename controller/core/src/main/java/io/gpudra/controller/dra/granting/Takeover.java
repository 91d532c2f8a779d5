package io.gpudra.controller.dra.granting;

import static java.util.Comparator.comparing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.Claims;
import io.gpudra.controller.dra.Contexts;
import io.gpudra.controller.dra.Unavailable;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.telling.Warnings;
import io.gpudra.controller.dra.waiting.WakeUps;
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
public final class Takeover {
  private static final int ATTEMPTS = 10;

  private final Claims claims;
  private final Contexts contexts;
  private final ClaimFeed feed;
  private final WakeUps wakeUps;
  private final Warnings warnings;

  public Takeover(
      Claims claims, Contexts contexts, ClaimFeed feed, WakeUps wakeUps, Warnings warnings) {
    this.claims = claims;
    this.contexts = contexts;
    this.feed = feed;
    this.wakeUps = wakeUps;
    this.warnings = warnings;
  }

  /** Whether no claim has a finalizer or an allocation of a former leader; false if unknown. */
  public boolean isFirst() {
    try {
      return claims.liveList().stream()
          .noneMatch(claim -> claim.guarded() || claim.allocatedByUs());
    } catch (Unavailable e) {
      return false;
    }
  }

  /**
   * Runs after the lease is acquired and before any loop works. Repeatable.
   *
   * @return contexts of pods with some claims allocated, oldest first: to be reconciled before all
   *     others
   * @throws Unavailable when the fence is incomplete; no device may be allocated then
   */
  public ImmutableList<ObjectKey> run() throws Unavailable {
    // Before the first list, so that no event after the list is missed.
    wakeUps.begin();
    List<ClaimFacts> fenced = new ArrayList<>();
    for (ClaimFacts claim : claims.liveList()) {
      fence(claim).ifPresent(fenced::add);
      wakeUps.wake(claim);
    }
    contexts.all().forEach(context -> wakeUps.contextChanged(context.key()));
    return halfDone(fenced);
  }

  private Optional<ClaimFacts> fence(ClaimFacts listed) throws Unavailable {
    Optional<ClaimFacts> claim = Optional.of(listed);
    boolean refused = false;
    for (int i = 0; i < ATTEMPTS && claim.filter(Takeover::halfWritten).isPresent(); i++) {
      WriteOutcome outcome = claims.unguard(claim.get());
      refused = outcome.kind() == Kind.REJECTED;
      claim =
          switch (outcome.kind()) {
            case DONE -> outcome.now();
            case GONE -> Optional.empty();
            case CONFLICT, UNCLEAR, REJECTED -> claims.live(listed.ref());
          };
    }
    if (claim.filter(Takeover::halfWritten).isPresent()) {
      leaveOpen(claim.get(), refused);
    }
    // The newest state, not the listed one: a deletion since the list is passed on only once.
    feed.lookAgain(listed.ref(), listed.uid());
    return claim;
  }

  /**
   * One claim that cannot be changed, perhaps because of a webhook, must not block all others. If
   * the old leader still writes it, the worst case is a double allocation, which is noticed here
   * and of which the node prepares only one claim.
   */
  private void leaveOpen(ClaimFacts claim, boolean refused) throws Unavailable {
    if (!refused) {
      throw new Unavailable("drop the finalizer of claim " + claim.ref());
    }
    warnings.finalizerKept(claim);
  }

  private static boolean halfWritten(ClaimFacts claim) {
    return claim.guarded() && claim.allocation().isEmpty();
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
