package io.gpudra.controller.allocation.request;

import com.google.common.collect.ImmutableSet;
import java.util.Optional;

/**
 * The constraints on all devices of a claim together.
 *
 * @param topology the required connection
 * @param same attributes whose values must agree; an unknown value agrees with no other
 */
public record DeviceConstraints(Optional<Linked> topology, ImmutableSet<MatchAttribute> same) {

  /** No constraint. */
  public static final DeviceConstraints ANYHOW =
      new DeviceConstraints(Optional.empty(), ImmutableSet.of());

  /** Whether there is no constraint. */
  public boolean isAnyhow() {
    return topology.isEmpty() && same.isEmpty();
  }

  /**
   * Every pair must be connected like this.
   *
   * @param required otherwise the best connected devices are chosen, and no claim waits for better
   *     ones
   */
  public record Linked(Connection connection, boolean required) {}

  /** The kinds of connection. */
  public enum Connection {
    /** NVLink or NVSwitch. */
    NVLINK,
    /** The same PCIe root complex. */
    PCIE,
    /** The same NUMA node. */
    NUMA
  }
}
