package io.gpudra.scenarios.cluster;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.actor.Profile;
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
 * @param lease of the controllers
 * @param kubelets their release; all else is of the newest
 * @param options further ones of the controllers
 */
public record Plan(
    ImmutableMap<String, String> nodes,
    int controllers,
    int port,
    Duration heartbeat,
    Duration containerStop,
    Lease lease,
    Profile kubelets,
    ImmutableList<String> options) {

  /** How long a leader that says nothing still leads. */
  public enum Lease {
    /** So that a demo need not wait for the next leader. */
    SHORT(ImmutableList.of("--lease-duration=4s", "--renew-deadline=3s", "--retry-period=500ms")),

    /** As installed: kept even where the machine has more to do than it can. */
    LONG(ImmutableList.of());

    private final ImmutableList<String> options;

    Lease(ImmutableList<String> options) {
      this.options = options;
    }

    ImmutableList<String> options() {
      return options;
    }
  }

  /** With the heartbeat a real installation has, a short lease, containers that stop quickly. */
  public Plan(ImmutableMap<String, String> nodes, int controllers, int port) {
    this(
        nodes,
        controllers,
        port,
        Duration.ofSeconds(60),
        Timings.QUICK.containerStop(),
        Lease.SHORT,
        Profile.V1_30,
        ImmutableList.of());
  }

  /** The same with another lease. */
  public Plan with(Lease other) {
    return new Plan(nodes, controllers, port, heartbeat, containerStop, other, kubelets, options);
  }

  /** The same with kubelets of another release. */
  public Plan with(Profile other) {
    return new Plan(nodes, controllers, port, heartbeat, containerStop, lease, other, options);
  }

  /** The same with further options of the controllers. */
  public Plan with(String... others) {
    return new Plan(
        nodes,
        controllers,
        port,
        heartbeat,
        containerStop,
        lease,
        kubelets,
        ImmutableList.copyOf(others));
  }
}
