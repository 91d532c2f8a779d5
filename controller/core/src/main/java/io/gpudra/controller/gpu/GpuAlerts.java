package io.gpudra.controller.gpu;

import io.gpudra.controller.gpu.cel.ConditionAlerts;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import java.util.Optional;

/** Port to events and metrics. Called often for the same object; returns at once. */
public interface GpuAlerts extends ConditionAlerts {

  /**
   * A claim carries a handle of ours that this version cannot read.
   *
   * @param node the node, which gets no new allocations meanwhile; empty when it is unknown
   */
  void unreadableHandle(ClaimRef ref, ClaimUid claim, Optional<String> node, String problem);

  /**
   * A claim carries a handle that was made for another claim. Meanwhile its devices are held, and
   * the node's plugin refuses it.
   */
  void strayHandle(ClaimRef ref, ClaimUid claim, Grant grant);

  /**
   * An evaluation ended without an answer, since others changed the nodes during each of its
   * searches. It is repeated. Does nothing by default.
   *
   * @param ref one of the claims
   */
  default void searchLost(ClaimRef ref) {}
}
