package io.gpudra.scenarios.cluster;

import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.actor.Timings;
import java.time.Duration;

/**
 * What a cluster consists of.
 *
 * @param nodes the name of each worker and the GPUs it has, as the plugin's {@code --profile}
 * @param controllers replicas; one of them leads
 * @param port of the API server, 0 for any that is free
 * @param heartbeat of the plugins
 * @param containerStop from the wish to stop a container to its end
 */
public record Plan(
    ImmutableMap<String, String> nodes,
    int controllers,
    int port,
    Duration heartbeat,
    Duration containerStop) {

  /** With the heartbeat a real installation has, and containers that stop quickly. */
  public Plan(ImmutableMap<String, String> nodes, int controllers, int port) {
    this(nodes, controllers, port, Duration.ofSeconds(60), Timings.QUICK.containerStop());
  }
}
