package io.gpudra.controller.view;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.usage.GpuFraction;
import io.gpudra.crds.usage.GpuShape;
import io.gpudra.crds.usage.GpuUsage;
import io.gpudra.crds.usage.RemainingCapacity;
import java.util.Optional;

/**
 * One GPU and the claims that hold it.
 *
 * @param gpu empty if its node does not list it
 * @param state the state with the highest priority
 * @param portion how much of it is allocated: 1 is all; more is possible if a class overcommits
 *     memory
 * @param holders in the order of their names
 */
public record GpuUse(
    String node,
    String uuid,
    Optional<Gpu> gpu,
    State state,
    double portion,
    ImmutableList<DeviceHolder> holders) {

  /** State of a GPU; if several apply, the first one. */
  public enum State {
    /** A claim holds it, but its node does not list it. */
    LOST,
    /**
     * Its node gets no new allocations: it is silent or not ready, has an unreadable handle, or no
     * inventory of it can be read.
     */
    STALE,
    /** A taint, or a foreign MIG device, prevents new allocations; current holders keep it. */
    TAINTED,
    /** It, or a part of it, is deallocated but still prepared on its node. */
    DRAINING,
    /** It is allocated completely. */
    GRANTED,
    /** Some parts of it are allocated, others are free. */
    PARTLY_FREE,
    /** No claim holds any part of it. */
    FREE
  }

  /** A GPU that its node lists. */
  record Listed(String node, Gpu gpu, ImmutableList<DeviceHolder> holders) {

    /**
     * Its use.
     *
     * @param serving whether its node gets new allocations
     */
    GpuUse use(boolean serving) {
      GpuUsage usage =
          GpuUsage.of(
              GpuShape.of(gpu),
              holders.stream().map(DeviceHolder::holding).collect(ImmutableList.toImmutableList()));
      State state = serving ? state(usage) : State.STALE;
      return new GpuUse(
          node, gpu.uuid(), Optional.of(gpu), state, GpuFraction.of(usage, gpu), holders);
    }

    private State state(GpuUsage usage) {
      if (!gpu.taints().isEmpty()) {
        return State.TAINTED;
      }
      if (holders.stream().anyMatch(DeviceHolder::draining)) {
        return State.DRAINING;
      }
      return holders.isEmpty() ? unheld(usage) : held(usage);
    }

    private State unheld(GpuUsage usage) {
      if (GpuShape.of(gpu).obstacles().isEmpty()) {
        return State.FREE;
      }
      return new RemainingCapacity(gpu, usage).any() ? State.PARTLY_FREE : State.TAINTED;
    }

    private State held(GpuUsage usage) {
      return new RemainingCapacity(gpu, usage).any() ? State.PARTLY_FREE : State.GRANTED;
    }
  }

  /**
   * For a GPU that its node does not list.
   *
   * @param known whether the inventory of the node can be read
   */
  static GpuUse unlisted(
      String node, String uuid, boolean known, ImmutableList<DeviceHolder> holders) {
    State state = known ? State.LOST : State.STALE;
    return new GpuUse(node, uuid, Optional.empty(), state, 1, holders);
  }

  /** Its name on the node, or else its UUID. */
  public String name() {
    return gpu.map(Gpu::name).orElse(uuid);
  }

  /** Whether it, or a MIG device of it, has a taint. */
  public boolean tainted() {
    return gpu.filter(Gpu::isTainted).isPresent();
  }

  /** Whether it, or a part of it, is allocated. */
  public boolean granted() {
    return holders.stream().anyMatch(holder -> !holder.draining());
  }

  /** Whether it, or a part of it, is deallocated but still prepared on its node. */
  public boolean draining() {
    return holders.stream().anyMatch(DeviceHolder::draining);
  }

  /** Whether it is allocated in parts. */
  public boolean shared() {
    return holders.stream().anyMatch(holder -> !(holder.part().part() instanceof Part.Whole));
  }

  /** The holder's portion of it; a device inside another claim's part counts with that claim. */
  public double portion(DeviceHolder holder) {
    boolean inner =
        holders.stream()
            .anyMatch(other -> holder.part().inside().equals(Optional.of(other.claim())));
    return inner ? 0 : gpu.map(one -> GpuFraction.of(holder.part().part(), one)).orElse(1.0);
  }

  /** Memory of the largest share that a claim could get of it now. */
  long shareableBytes() {
    return switch (state) {
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
