package io.gpudra.controller.view.explain;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.view.GpuUse;
import io.gpudra.controller.view.Holder;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a claim has.
 *
 * @param at when it was granted; absent of what is only still prepared
 * @param generation of the parameters that it was granted by
 * @param parameters name of the object, if there is one
 * @param generationNow of that object; absent when it is gone
 * @param prepared absent when it cannot be told
 */
public record GrantStory(
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
   * @param own what the claim has of the GPU
   * @param gpu and who else has something of it
   */
  public record Device(Holder own, GpuUse gpu) {

    /** The others that have a part of the GPU. */
    public ImmutableList<Holder> beside() {
      return gpu.holders().stream()
          .filter(holder -> !holder.claim().equals(own.claim()))
          .collect(ImmutableList.toImmutableList());
    }
  }

  /**
   * Who the claim is reserved for.
   *
   * @param what such as {@code pod team-a/train}
   * @param where it is and how it does, as far as that is known
   */
  public record Consumer(String what, Optional<String> where) {}
}
