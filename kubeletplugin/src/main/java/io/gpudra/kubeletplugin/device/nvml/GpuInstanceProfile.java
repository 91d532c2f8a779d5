package io.gpudra.kubeletplugin.device.nvml;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * A kind of GPU instance that a GPU can be cut into.
 *
 * @param number by which profiles are asked for; not the {@code id} by which all else is done
 * @param compute compute slices
 * @param most instances of it on one GPU
 * @param memoryMib of one instance, in MiB
 * @param name as the driver writes it, without {@code MIG }; absent where it does not tell
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

  /** Memory slices, the same wherever it is. */
  public int size() {
    return placements.get(0).size();
  }

  /**
   * Where an instance can be.
   *
   * @param start first memory slice
   * @param size memory slices; in a GPU instance, compute slices
   */
  public record Placement(int start, int size) {}
}
