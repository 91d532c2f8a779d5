package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimUid;

/**
 * The unsuitable nodes of a pod, claim by claim.
 *
 * @param unsuitable for every evaluated claim: node → reason; other nodes are suitable
 */
public record NodeSuitability(
    ImmutableMap<ClaimUid, ImmutableMap<String, UnsuitableReason>> unsuitable) {

  /** Nodes that refuse this claim, and the reasons. */
  public ImmutableMap<String, UnsuitableReason> of(ClaimUid claim) {
    return unsuitable.getOrDefault(claim, ImmutableMap.of());
  }

  /** Nodes that refuse at least one claim, and so the pod. */
  public ImmutableSet<String> refusingNodes() {
    return unsuitable.values().stream()
        .flatMap(refusals -> refusals.keySet().stream())
        .collect(ImmutableSet.toImmutableSet());
  }

  /** Both results together; for a node in both, the newer one counts. */
  public NodeSuitability plus(NodeSuitability newer) {
    ImmutableMap.Builder<ClaimUid, ImmutableMap<String, UnsuitableReason>> both =
        ImmutableMap.builder();
    for (ClaimUid claim : Sets.union(unsuitable.keySet(), newer.unsuitable.keySet())) {
      both.put(
          claim,
          ImmutableMap.<String, UnsuitableReason>builder()
              .putAll(of(claim))
              .putAll(newer.of(claim))
              .buildKeepingLast());
    }
    return new NodeSuitability(both.buildOrThrow());
  }
}
