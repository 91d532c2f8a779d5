package io.gpudra.crds.model;

import com.google.common.collect.ImmutableSet;

/**
 * GPUs of one node that reach each other without the PCIe bus, every one every other.
 *
 * @param gpuUuids at least two
 * @param lanes NVLinks of each pair
 */
public record Link(ImmutableSet<String> gpuUuids, Type type, int lanes) {

  /** What connects them. */
  public enum Type {
    NVLINK,
    NVSWITCH
  }
}
