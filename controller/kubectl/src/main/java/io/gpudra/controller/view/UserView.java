package io.gpudra.controller.view;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.access.ClusterView;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.kube.ForbiddenKind;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import java.time.Instant;

/**
 * The objects that one caller may read, at one time.
 *
 * @param objects as they were read
 * @param cluster the controller's view of these objects
 * @param now the time of the read
 */
public record UserView(ClusterView objects, ClusterSnapshot cluster, Instant now) {
  private static final ImmutableSet<String> KINDS_OF_HOLDERS =
      ImmutableSet.of("resourceclaims", "nodes", "nodeinventories");

  /** The view from one snapshot. */
  public static UserView of(ClusterView objects, String driverName, Instant now) {
    return new UserView(objects, ClusterSnapshot.of(objects.cluster(), driverName, now), now);
  }

  /** A sentence for each kind of object that the caller may not read. */
  public ImmutableList<String> missing() {
    return objects.withheld().stream()
        .map(forbiddenKind -> forbiddenKind.text())
        .collect(ImmutableList.toImmutableList());
  }

  /** Whether the caller may read nodes and inventories. */
  public boolean mayReadInventories() {
    return mayRead(ResourceKinds.inventories()) && mayRead(ResourceKinds.nodes());
  }

  /** Whether the caller may read claims, nodes and inventories. */
  public boolean mayReadHolders() {
    return objects.withheld().stream()
        .map(ForbiddenKind::resource)
        .noneMatch(KINDS_OF_HOLDERS::contains);
  }

  /** Whether this reason is certain: it is not due to objects that the caller may not read. */
  public boolean knows(UnsuitableReason reason) {
    return switch (reason.kind().doubt()) {
      case UNSEEN_CLASS -> mayRead(ResourceKinds.classes());
      case UNSEEN_PARAMETERS ->
          mayRead(ResourceKinds.classParameters()) && mayRead(ResourceKinds.claimParameters());
      case SURE, UNDECIDED, OLD_POD, UNSEEN_NAMESPACE -> true;
    };
  }

  private boolean mayRead(WatchedKind<?, ?> kind) {
    return objects.withheld().stream()
        .noneMatch(
            forbiddenKind ->
                forbiddenKind.resource().equals(kind.plural()) && forbiddenKind.only().isEmpty());
  }
}
