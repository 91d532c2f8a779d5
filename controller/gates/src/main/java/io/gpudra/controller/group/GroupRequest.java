package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.collectingAndThen;
import static java.util.stream.Collectors.groupingBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The pods of a group that need devices, in the order in which they are served.
 *
 * @param staying claims of its other pods, which end when the group does
 */
public record GroupRequest(ImmutableList<GroupMember> members, ImmutableSet<ClaimRef> staying) {
  /** The largest group. */
  public static final int MAX_MEMBERS = 1_024;

  /** Refuses an empty group and one that is too large. */
  public GroupRequest {
    if (members.isEmpty() || members.size() > MAX_MEMBERS) {
      throw new IllegalArgumentException(
          "a group has 1 to %s members to place, not %s".formatted(MAX_MEMBERS, members.size()));
    }
  }

  /** The claims of all members, each once, as one request. */
  PodRequest together() {
    return new PodRequest(
        parts().stream().flatMap(part -> part.claims().stream()).collect(toImmutableList()));
  }

  /** The parts, each on a node of its own or with others. */
  public ImmutableList<GroupPart> parts() {
    int[] leaders = leaders();
    return IntStream.range(0, members.size())
        .boxed()
        .collect(
            collectingAndThen(
                groupingBy(i -> leader(leaders, i), LinkedHashMap::new, toImmutableList()),
                byLeader -> byLeader.values().stream().map(this::part).collect(toImmutableList())));
  }

  private GroupPart part(ImmutableList<Integer> positions) {
    return new GroupPart(positions.stream().map(members::get).collect(toImmutableList()));
  }

  /** For each member itself, or an earlier one with which it shares a claim. */
  private int[] leaders() {
    int[] leaders = IntStream.range(0, members.size()).toArray();
    Map<ClaimUid, Integer> users = new HashMap<>();
    for (int i = 0; i < leaders.length; i++) {
      for (ClaimRequest claim : members.get(i).request().claims()) {
        Integer other = users.putIfAbsent(claim.uid(), i);
        if (other != null) {
          int first = leader(leaders, other);
          int own = leader(leaders, i);
          leaders[Math.max(first, own)] = Math.min(first, own);
        }
      }
    }
    return leaders;
  }

  private static int leader(int[] leaders, int member) {
    int leader = member;
    while (leaders[leader] != leader) {
      leader = leaders[leader];
    }
    return leader;
  }

  /** The parts by what they ask for, up to the first of more kinds than are searched. */
  public ImmutableMap<MemberKind, ImmutableList<GroupPart>> kinds() {
    Map<MemberKind, List<GroupPart>> kinds = new LinkedHashMap<>();
    for (GroupPart part : parts()) {
      kinds.computeIfAbsent(part.kind(), unused -> new ArrayList<>()).add(part);
      if (kinds.size() > GroupSearch.MAX_KINDS) {
        break;
      }
    }
    return ImmutableMap.copyOf(Maps.transformValues(kinds, ImmutableList::copyOf));
  }
}
