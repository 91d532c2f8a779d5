package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import com.google.common.math.LongMath;
import io.gpudra.controller.allocation.refusal.NodeFilters;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.ClaimRequest.Parent;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The request of a part of a group without names: equal for parts of a namespace that ask alike.
 *
 * @param claims without names
 * @param demands of its pods on their node, each with the number of such pods
 * @param nodes to which its pods are tied; empty: to none
 */
public record MemberKind(
    String namespace,
    ImmutableList<ClaimRequest> claims,
    ImmutableMultiset<NodeDemand> demands,
    ImmutableSet<String> nodes) {

  /**
   * A claim of a copy of the part without its name.
   *
   * @param part the names of all claims of the part, in their order
   * @param first the number of the first claim of the copy
   */
  static ClaimRequest anonymous(ClaimRequest claim, List<ClaimUid> part, int position, int first) {
    return claim.anonymous(
        first + position,
        claim.inside().map(parent -> anonymous(parent, part.indexOf(parent.uid()), first)));
  }

  /** A parent of another part holds devices already, and keeps its name. */
  private static Parent anonymous(Parent parent, int position, int first) {
    return position < 0 ? parent : Parent.anonymous(first + position);
  }

  /** The claims of several such parts. */
  Stream<ClaimRequest> copies(int from, int count) {
    ImmutableList<ClaimUid> part =
        claims.stream().map(ClaimRequest::uid).collect(toImmutableList());
    return IntStream.range(0, count * claims.size())
        .mapToObj(
            i -> {
              int position = i % claims.size();
              return anonymous(claims.get(position), part, position, from + i - position);
            });
  }

  /** Whether its pods may run on the node if it has the devices. */
  boolean isAdmitted(NodeState node) {
    return nodes.stream().allMatch(node.name()::equals)
        && demands.elementSet().stream().allMatch(demand -> demand.misfit(node).isEmpty())
        && claims.stream().allMatch(claim -> NodeFilters.ofChoice(node, claim).isEmpty());
  }

  /** The number of GPUs of a part that requests whole ones only; otherwise 0. */
  int wholeGpus() {
    return PodRequest.arePlain(claims)
        ? claims.stream().mapToInt(claim -> claim.only().count()).sum()
        : 0;
  }

  /** What several such parts request of a node, by resource. */
  ImmutableMap<String, Long> size(int count) {
    Map<String, Long> sum = new HashMap<>();
    demands.forEachEntry(
        (demand, pods) ->
            demand
                .times(count * pods)
                .size()
                .forEach((resource, size) -> sum.merge(resource, size, LongMath::saturatedAdd)));
    return ImmutableMap.copyOf(sum);
  }

  /** Whether nodes with equal fingerprints have the same room. */
  boolean isDecidedByFingerprint() {
    return claims.stream()
        .allMatch(
            claim ->
                claim.inside().isEmpty()
                    && claim.alternatives().stream()
                        .flatMap(alternative -> alternative.subRequests().stream())
                        .noneMatch(one -> one.devicePredicate().differsBetweenNodes()));
  }
}
