package io.gpudra.controller.view.dryrun;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Maps;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.scheduling.PendingPod;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.manifest.PodSchedulingConstraints;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeDemand.Misfit;
import io.gpudra.crds.model.node.NodeState;
import java.util.Optional;

/**
 * The nodes that kube-scheduler would consider for a pod, as far as known here.
 *
 * @param demand of which the size counts, as if no other pod was on the node
 */
record NodeAdmission(
    PodSchedulingConstraints podSchedulingConstraints,
    PendingPod<GpuRequest> pending,
    NodeDemand demand) {

  /** The reason why this node is not considered; empty if it is. */
  Optional<UnsuitableReason> refusal(NodeState node) {
    if (!podSchedulingConstraints.selects(node)) {
      return Optional.of(StatedReason.of(Kind.NOT_SELECTED));
    }
    if (!node.ready()) {
      return Optional.of(StatedReason.of(Kind.NODE_NOT_READY));
    }
    if (node.cordoned()) {
      return Optional.of(StatedReason.of(Kind.NODE_CORDONED));
    }
    if (!podSchedulingConstraints.tolerates(node)) {
      return Optional.of(
          StatedReason.of(Kind.NODE_TAINTED, "node tainted %s", node.repellingTaints()));
    }
    if (!isAdmitted(node)) {
      return Optional.of(StatedReason.of(Kind.NODE_NOT_ADMITTED));
    }
    if (demand.misfit(node).filter(Misfit.TOO_SMALL::equals).isPresent()) {
      return Optional.of(tooSmall(node));
    }
    return pending.tiedToAnother(node.name())
        ? Optional.of(StatedReason.of(Kind.TIED_ELSEWHERE))
        : Optional.empty();
  }

  private UnsuitableReason tooSmall(NodeState node) {
    ImmutableSortedSet<String> less =
        ImmutableSortedSet.copyOf(
            Maps.filterEntries(
                    demand.size(),
                    requested ->
                        requested.getValue()
                            > node.allocatable().getOrDefault(requested.getKey(), 0L))
                .keySet());
    return StatedReason.of(
        Kind.NODE_TOO_SMALL, "node too small for the pod: it requests more %s", less);
  }

  private boolean isAdmitted(NodeState node) {
    ImmutableList<PendingClaim<GpuRequest>> claims = pending.pendingClaims();
    return claims.stream()
        .flatMap(claim -> claim.resourceClass().suitableNodes().stream())
        .allMatch(admitted -> admitted.matches(node));
  }
}
