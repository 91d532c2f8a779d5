package io.gpudra.simulator.cluster;

import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.actor.Timings;
import io.gpudra.simulator.kubelet.NodeConfig;
import java.util.List;

/**
 * A cluster around an API server.
 *
 * @param seed of all random choices; on threads it makes single choices repeatable, not their order
 */
public record ActorsConfig(List<NodeConfig> nodes, Timings timings, Profile profile, long seed) {

  /** A 1.30 cluster with short waits. */
  public static ActorsConfig quick(List<NodeConfig> nodes) {
    return new ActorsConfig(nodes, Timings.QUICK, Profile.V1_30, 1);
  }
}
