package io.gpudra.controller.allocation.request;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.model.node.NodeDemand;
import java.util.Comparator;

/**
 * The claims of one pod that are decided together, all or none. Kept in the order of their UIDs, so
 * that no answer depends on the order in which they were named.
 *
 * @param rank of the pod among those that wait; no answer of a node depends on it
 */
public record PodRequest(ImmutableList<ClaimRequest> claims, WaitRank rank) {

  /** Sorts; rejects an empty batch and one that names a claim twice. */
  public PodRequest {
    claims = ImmutableList.sortedCopyOf(Comparator.comparing(ClaimRequest::uid), claims);
    long distinct = claims.stream().map(ClaimRequest::uid).distinct().count();
    if (claims.isEmpty() || distinct < claims.size()) {
      throw new IllegalArgumentException("a batch names each of its claims once: " + claims);
    }
  }

  /** The request of a pod that waits after all others. */
  public PodRequest(ImmutableList<ClaimRequest> claims) {
    this(claims, WaitRank.LAST);
  }

  /** The same request of a pod with this demand on its node. */
  public PodRequest fitting(NodeDemand demand) {
    return new PodRequest(
        claims.stream()
            .map(claim -> claim.fitting(demand))
            .collect(ImmutableList.toImmutableList()),
        rank);
  }

  /** The names of its claims. */
  public ImmutableList<ClaimRef> refs() {
    return claims.stream().map(ClaimRequest::ref).collect(ImmutableList.toImmutableList());
  }

  /** Whether all claims request a number of whole GPUs and nothing else. */
  public boolean isPlain() {
    return arePlain(claims);
  }

  /** Whether these claims request a number of whole GPUs and nothing else. */
  public static boolean arePlain(ImmutableList<ClaimRequest> claims) {
    // Called for each pod and node: a loop allocates no memory.
    for (ClaimRequest claim : claims) {
      if (!claim.isPlain()) {
        return false;
      }
    }
    return true;
  }
}
