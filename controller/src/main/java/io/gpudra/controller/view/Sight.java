package io.gpudra.controller.view;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.telling.Obstacle;
import io.gpudra.controller.kube.ClusterSight;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import java.time.Instant;

/**
 * What one caller sees of the cluster at one moment.
 *
 * @param objects as they were read
 * @param cluster what the controller would make of them
 * @param now when they were read
 */
public record Sight(ClusterSight objects, Cluster cluster, Instant now) {

  /** Made of one reading. */
  public static Sight of(ClusterSight objects, String driverName, Instant now) {
    return new Sight(objects, Cluster.of(objects.cluster(), driverName, now), now);
  }

  /** A sentence for each kind of object that the caller may not read. */
  public ImmutableList<String> missing() {
    return objects.withheld().stream()
        .map(withheld -> withheld.text())
        .collect(ImmutableList.toImmutableList());
  }

  /** Whether what nodes have can be told at all. */
  public boolean seesInventories() {
    return sees(NodeInventory.PLURAL) && sees("nodes");
  }

  /** Whether this is so, and does not only look so to who may not read what is missing. */
  public boolean knows(Obstacle obstacle) {
    return switch (obstacle.kind()) {
      case CLASS_ABSENT -> sees("resourceclasses");
      case PARAMETERS_MISSING -> sees(GpuClassParameters.PLURAL) && sees(GpuClaimParameters.PLURAL);
      default -> true;
    };
  }

  private boolean sees(String resource) {
    return objects.withheld().stream()
        .noneMatch(withheld -> withheld.resource().equals(resource) && withheld.only().isEmpty());
  }
}
