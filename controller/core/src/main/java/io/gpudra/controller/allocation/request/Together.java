package io.gpudra.controller.allocation.request;

import com.google.common.collect.ImmutableSet;
import java.util.Optional;

/**
 * What all devices of a claim have in common.
 *
 * @param topology how they are connected
 * @param same attributes whose values agree; an unknown value agrees with nothing
 */
public record Together(Optional<Linked> topology, ImmutableSet<Alike> same) {

  /** Nothing. */
  public static final Together ANYHOW = new Together(Optional.empty(), ImmutableSet.of());

  /** Whether it does not matter. */
  public boolean isAnyhow() {
    return topology.isEmpty() && same.isEmpty();
  }

  /**
   * Every pair is connected so.
   *
   * @param required otherwise the best connected devices are taken, and no claim waits for better
   */
  public record Linked(By by, boolean required) {}

  /** What connects a pair. */
  public enum By {
    /** NVLink or NVSwitch. */
    NVLINK,
    /** The same PCIe root complex. */
    PCIE,
    /** The same NUMA node. */
    NUMA
  }
}
