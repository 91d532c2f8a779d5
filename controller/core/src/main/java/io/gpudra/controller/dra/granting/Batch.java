package io.gpudra.controller.dra.granting;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.granting.Member.State;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;

/** Claims that are granted together, each on its way. */
record Batch(Optional<PodRef> reserveFor, ImmutableList<Member> members) {

  Batch with(ImmutableList<Member> now) {
    return new Batch(reserveFor, now);
  }

  /** Whether a member can still go either way. */
  boolean open() {
    return members.stream().anyMatch(Member::open);
  }

  /** Whether all finalizers are there, so that the first grant may be written. */
  boolean guarded() {
    return members.stream().filter(Member::open).allMatch(member -> member.seen().guarded());
  }

  boolean lostOne() {
    return members.stream().anyMatch(Member::lost);
  }

  /** Gives up the members that no grant was written for yet: half a pod helps nobody. */
  Batch abort() {
    return with(
        members.stream()
            .map(member -> member.open() ? member.ends(State.ABORTED) : member)
            .collect(ImmutableList.toImmutableList()));
  }

  /** Claims whose grant the server refused, as giving up left them. */
  ImmutableList<ClaimFacts> rejected() {
    return members.stream()
        .filter(member -> member.state() == State.REJECTED)
        .map(Member::seen)
        .collect(ImmutableList.toImmutableList());
  }

  ImmutableSet<ClaimUid> uids() {
    return members.stream()
        .map(member -> member.seen().uid())
        .collect(ImmutableSet.toImmutableSet());
  }
}
