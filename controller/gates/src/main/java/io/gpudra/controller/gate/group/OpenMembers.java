package io.gpudra.controller.gate.group;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.gate.group.GroupPlacer.Member;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The members of a group with claims to allocate. */
record OpenMembers<P>(ImmutableList<Member<P>> members) {

  boolean isEmpty() {
    return members.isEmpty();
  }

  ImmutableList<PendingClaim<P>> claims() {
    return Member.claims(members);
  }

  /** The first user of each claim; the scheduler reserves it for others. */
  ImmutableMap<ClaimUid, PodRef> users() {
    Map<ClaimUid, PodRef> users = new LinkedHashMap<>();
    members.forEach(
        member ->
            member.claims().forEach(one -> users.putIfAbsent(one.claim().uid(), member.pod())));
    return ImmutableMap.copyOf(users);
  }

  /** The different sizes of the pods. */
  Stream<ImmutableMap<String, Long>> sizes() {
    return members.stream().map(member -> member.demand().size()).distinct();
  }
}
