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
 * What a new leader does before its first commit: the fence against writes of the old one, and the
 * memory of what is granted.
 *
 * <p>Every status write of a leader follows the finalizer write on the same claim. So once our
 * finalizer is gone from each claim that has no grant, every status write that the old leader may
 * still have on its way carries an outdated resourceVersion and cannot land.
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

  /**
   * Whether no claim has the finalizer or a grant of a former leader; false where it is unknown.
   */
  public boolean isFirst() {
    try {
      return claims.liveList().stream()
          .noneMatch(claim -> claim.guarded() || claim.allocatedByUs());
    } catch (Unavailable e) {
      return false;
    }
  }

  /**
   * Fences and remembers; to be done after the lease is won and before any loop works. Repeatable.
   *
   * @return contexts of pods that have some of their grants, oldest first: to be looked at before
   *     all others
   * @throws Unavailable when the fence could not be completed; nothing may be allocated then
   */
  public ImmutableList<ObjectKey> run() throws Unavailable {
    // Before anything is listed, so that nothing falls between the lists and the events.
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
    // The newest, not the listed: a claim that went since the list is told of once only.
    feed.lookAgain(listed.ref(), listed.uid());
    return claim;
  }

  /**
   * One claim that nobody may touch, because of a webhook perhaps, must not keep all others from
   * being served. If the old leader still writes it, that is a double grant at worst: noticed here,
   * and served once by its node.
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
