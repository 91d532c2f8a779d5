package io.gpudra.controller.view;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.GpuStatus;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.usage.GpuFraction;
import java.util.Optional;

/**
 * One GPU and the claims that hold it.
 *
 * @param gpu empty if its node does not list it
 * @param status the same as in metrics
 * @param portion the allocated portion: 1 is all; more is possible if a class overcommits memory
 * @param holders in the order of their names
 */
public record GpuUse(
    String node,
    String uuid,
    Optional<Gpu> gpu,
    GpuStatus status,
    double portion,
    ImmutableList<DeviceHolder> holders) {

  /** The GPU's name on the node, or else its UUID. */
  public String name() {
    return gpu.map(Gpu::name).orElse(uuid);
  }

  /** Whether the GPU, or a MIG device of it, has a taint. */
  public boolean tainted() {
    return gpu.filter(Gpu::isTainted).isPresent();
  }

  /** Whether the GPU is allocated in parts. */
  public boolean shared() {
    return holders.stream().anyMatch(holder -> !(holder.part().part() instanceof Part.Whole));
  }

  /**
   * The holder's portion of the GPU; a device inside another claim's part counts with that claim.
   */
  public double portion(DeviceHolder holder) {
    boolean inner =
        holders.stream()
            .anyMatch(other -> holder.part().inside().equals(Optional.of(other.claim())));
    return inner ? 0 : gpu.map(one -> GpuFraction.of(holder.part().part(), one)).orElse(1.0);
  }

  /** The memory of the largest share of the GPU that a claim could get now. */
  long shareableBytes() {
    return switch (status) {
      case FREE -> gpu.map(Gpu::memoryBytes).orElse(0L);
      case PARTLY_FREE -> gpu.map(this::unshared).orElse(0L);
      case LOST, STALE, TAINTED, DRAINING, GRANTED -> 0;
    };
  }

  private long unshared(Gpu one) {
    boolean ofShares =
        holders.stream().allMatch(holder -> holder.part().part() instanceof Part.Share);
    long shared =
        holders.stream()
            .map(holder -> holder.part().part())
            .mapToLong(part -> part instanceof Part.Share share ? share.memoryBytes() : 0)
            .sum();
    return ofShares && !holders.isEmpty() ? Math.max(0, one.memoryBytes() - shared) : 0;
  }
}
