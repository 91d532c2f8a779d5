package io.gpudra.simulator.kubelet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

/**
 * A container as its process would see its world.
 *
 * @param environment of the spec, overlaid by CDI
 * @param deviceNodes paths inside the container
 * @param mounts {@code hostPath:containerPath}
 * @param running false once stopped; the entry goes with the pod
 */
public record RunningContainer(
    Identity identity,
    ImmutableMap<String, String> environment,
    ImmutableList<String> deviceNodes,
    ImmutableList<String> mounts,
    boolean running) {

  /** Which container of which pod on which node. */
  public record Identity(
      String node, String namespace, String pod, String podUid, String container) {}

  RunningContainer stopped() {
    return new RunningContainer(identity, environment, deviceNodes, mounts, false);
  }
}
