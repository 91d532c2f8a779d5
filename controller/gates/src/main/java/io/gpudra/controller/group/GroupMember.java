package io.gpudra.controller.group;

import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeDemand;
import java.util.Optional;

/**
 * A pod of a group.
 *
 * @param request for its claims that hold no devices yet, with its demand
 * @param demand on its node, beside devices
 * @param node where another of its claims is allocated, which ties the pod to this node
 */
public record GroupMember(
    PodRef pod, PodRequest request, NodeDemand demand, Optional<String> node) {

  /** Adds the demand to the request. */
  public GroupMember {
    request = request.fitting(demand);
  }
}
