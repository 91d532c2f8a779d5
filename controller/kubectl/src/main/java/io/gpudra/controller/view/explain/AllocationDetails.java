package io.gpudra.controller.view.explain;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.view.DeviceHolder;
import io.gpudra.controller.view.GpuUse;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The allocation of a claim.
 *
 * @param at the time of the allocation; empty if the claim is only still prepared
 * @param generation of the parameters when it was allocated
 * @param parameters name of that object, if there is one
 * @param generationNow current generation of that object; empty if it was deleted
 * @param prepared empty if unknown
 */
public record AllocationDetails(
    String node,
    Optional<Instant> at,
    OptionalLong generation,
    Optional<String> parameters,
    OptionalLong generationNow,
    Optional<Boolean> prepared,
    ImmutableList<Device> devices,
    ImmutableList<Consumer> consumers) {

  /**
   * One device.
   *
   * @param own the claim's part of the GPU
   * @param gpu the GPU with all its holders
   */
  public record Device(DeviceHolder own, GpuUse gpu) {

    /** Other claims that hold a part of the GPU. */
    public ImmutableList<DeviceHolder> beside() {
      return gpu.holders().stream()
          .filter(holder -> !holder.claim().equals(own.claim()))
          .collect(ImmutableList.toImmutableList());
    }
  }

  /**
   * A consumer for which the claim is reserved.
   *
   * @param object such as {@code pod team-a/train}
   * @param where its phase and node, if known
   */
  public record Consumer(String object, Optional<String> where) {}
}
