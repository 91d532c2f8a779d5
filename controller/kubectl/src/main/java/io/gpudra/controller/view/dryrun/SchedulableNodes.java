package io.gpudra.controller.view.dryrun;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.node.Inventory;
import java.util.Optional;

/**
 * The nodes of a cluster for one pod, by name.
 *
 * @param excluded nodes that are excluded independently of their devices, with the reason
 */
record SchedulableNodes(
    ImmutableSet<String> considered, ImmutableSortedMap<String, UnsuitableReason> excluded) {

  static SchedulableNodes of(ClusterObjects reading, NodeAdmission admission) {
    ImmutableSortedSet.Builder<String> considered = ImmutableSortedSet.naturalOrder();
    ImmutableSortedMap.Builder<String, UnsuitableReason> excluded =
        ImmutableSortedMap.naturalOrder();
    for (Inventory inventory : reading.inventories()) {
      Optional<UnsuitableReason> refusal = admission.refusal(inventory.node());
      refusal.ifPresentOrElse(
          why -> excluded.put(inventory.node().name(), why),
          () -> considered.add(inventory.node().name()));
    }
    return new SchedulableNodes(considered.build(), excluded.buildOrThrow());
  }
}
