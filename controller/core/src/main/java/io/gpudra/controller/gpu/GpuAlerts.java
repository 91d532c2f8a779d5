package io.gpudra.controller.gpu;

import io.gpudra.controller.gpu.cel.ConditionAlerts;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import java.util.Optional;

/** Port to whoever tells people and counts. Called often for the same thing; returns at once. */
public interface GpuAlerts extends ConditionAlerts {

  /**
   * A claim carries a handle of ours that this version cannot read.
   *
   * @param node gets no new grants meanwhile; empty when nobody can tell which node it is
   */
  void unreadableHandle(ClaimRef ref, ClaimUid claim, Optional<String> node, String problem);

  /**
   * A claim carries a handle that was made for another one: its devices are held as long as it
   * does, and the node's plugin refuses it.
   */
  void strayHandle(ClaimRef ref, ClaimUid claim, Grant grant);
}
