package io.gpudra.controller.dra.granting;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.Suitability;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.telling.Loss;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import java.time.Duration;
import java.util.Optional;

/** How far an allocation came. */
public sealed interface Attempt {

  /**
   * Not now: other work owns a claim of it, or changed one just now, and its end wakes us; or the
   * server refused to have one granted a moment ago.
   *
   * @param delay after which to ask again, unless something wakes us
   */
  record Later(Duration delay) implements Attempt {}

  /**
   * The driver has no devices for it; nothing was written.
   *
   * @param alike see {@link io.gpudra.controller.dra.Allocation.Refused}
   */
  record Refused(Suitability why, boolean alike) implements Attempt {}

  /** A write has no clear answer yet: to be resumed. */
  record Open() implements Attempt {}

  /** Every member is granted or can never be. */
  record Settled(Optional<PodRef> reservedFor, ImmutableList<Member> members) implements Attempt {
    public ImmutableSet<ClaimUid> granted() {
      return members.stream()
          .filter(member -> !member.lost())
          .map(member -> member.seen().uid())
          .collect(ImmutableSet.toImmutableSet());
    }

    /** The node of each claim granted. */
    public ImmutableMultiset<String> nodes() {
      return members.stream()
          .filter(member -> !member.lost())
          .flatMap(member -> member.handle().node().stream())
          .collect(ImmutableMultiset.toImmutableMultiset());
    }

    /** What to tell of the claims that could not be granted. */
    public ImmutableMap<ClaimFacts, Loss> losses() {
      ImmutableMap.Builder<ClaimFacts, Loss> losses = ImmutableMap.builder();
      for (Member member : members) {
        member.loss().ifPresent(loss -> losses.put(member.seen(), loss));
      }
      return losses.buildOrThrow();
    }

    public ImmutableList<Member> lost() {
      return members.stream().filter(Member::lost).collect(ImmutableList.toImmutableList());
    }
  }
}
