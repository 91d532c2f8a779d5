package io.gpudra.controller.view.dryrun;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.scheduling.PendingPod;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.manifest.PodSchedulingConstraints;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.node.NodeState;
import java.util.Optional;

/** The nodes that kube-scheduler would consider for a pod, as far as known here. */
record NodeAdmission(
    PodSchedulingConstraints podSchedulingConstraints, PendingPod<GpuRequest> pending) {

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
    return pending.tiedToAnother(node.name())
        ? Optional.of(StatedReason.of(Kind.TIED_ELSEWHERE))
        : Optional.empty();
  }

  private boolean isAdmitted(NodeState node) {
    ImmutableList<PendingClaim<GpuRequest>> claims = pending.pendingClaims();
    return claims.stream()
        .flatMap(claim -> claim.resourceClass().suitableNodes().stream())
        .allMatch(admitted -> admitted.matches(node));
  }
}
