package io.gpudra.controller.allocation;

import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.NodeSelector;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What one claim asks for.
 *
 * @param count devices, all on one node; at least 1
 * @param generation of the parameters that were read, copied into the grant
 * @param admittedNodes nodes the claim's class allows; looked at only where we choose the node, a
 *     scheduler that chooses looks itself
 */
public record ClaimRequest(
    ClaimUid uid,
    ClaimRef ref,
    int count,
    Condition condition,
    Policy policy,
    OptionalLong generation,
    Optional<NodeSelector> admittedNodes) {

  /** Refuses a request for nothing. */
  public ClaimRequest {
    if (count < 1) {
      throw new IllegalArgumentException("claim " + ref + " asks for " + count + " devices");
    }
  }
}
