package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.crds.model.ClaimUid;
import java.util.stream.IntStream;

/** Pods of a group that must share a node, since they share a claim; nearly always one pod. */
public record GroupPart(ImmutableList<GroupMember> members) {

  /** The claims, each once, in the order in which they are served. */
  public ImmutableList<ClaimRequest> claims() {
    return ImmutableList.sortedCopyOf(
        ClaimRequest.BY_NAME,
        members.stream()
            .flatMap(member -> member.request().claims().stream())
            .collect(
                ImmutableMap.toImmutableMap(
                    ClaimRequest::uid, claim -> claim, (first, second) -> first))
            .values());
  }

  /** Equal for all parts with the same requests. */
  MemberKind kind() {
    ImmutableList<ClaimRequest> claims = claims();
    ImmutableList<ClaimUid> uids =
        claims.stream().map(ClaimRequest::uid).collect(toImmutableList());
    return new MemberKind(
        members.get(0).pod().namespace(),
        IntStream.range(0, claims.size())
            .mapToObj(i -> MemberKind.anonymous(claims.get(i), uids, i, 0))
            .collect(toImmutableList()),
        members.stream().map(GroupMember::demand).collect(toImmutableMultiset()),
        members.stream().flatMap(member -> member.node().stream()).collect(toImmutableSet()));
  }
}
