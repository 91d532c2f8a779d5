package io.gpudra.kubeletplugin.device.nvml;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * A kind of GPU instance.
 *
 * @param number by which profiles are queried; not the {@code id} for all other calls
 * @param compute number of compute slices
 * @param most maximum number of instances on one GPU
 * @param memoryMib of one instance, in MiB
 * @param name as the driver writes it, without {@code MIG }; absent when the driver has none
 * @param placements at least one
 */
public record GpuInstanceProfile(
    int number,
    int id,
    int compute,
    int most,
    long memoryMib,
    Optional<String> name,
    ImmutableList<Placement> placements) {

  /** The number of memory slices, the same at every place. */
  public int size() {
    return placements.get(0).size();
  }

  /**
   * A possible place of an instance.
   *
   * @param start first memory slice
   * @param size memory slices; in a GPU instance, compute slices
   */
  public record Placement(int start, int size) {}
}
