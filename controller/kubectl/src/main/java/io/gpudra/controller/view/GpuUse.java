package io.gpudra.controller.view;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.usage.GpuShape;
import io.gpudra.crds.usage.Portion;
import io.gpudra.crds.usage.Usage;
import java.util.Optional;

/**
 * One GPU and who has it.
 *
 * @param gpu absent when its node does not list it
 * @param state what matters most about it
 * @param portion how much of it is taken: 1 is all; more is possible where a class promises more
 *     memory than there is
 * @param holders in the order of their names
 */
public record GpuUse(
    String node,
    String uuid,
    Optional<Gpu> gpu,
    State state,
    double portion,
    ImmutableList<Holder> holders) {

  /** What matters most about a GPU: of several the first. */
  public enum State {
    /** A claim has it, and its node does not list it. */
    LOST,
    /**
     * Its node gets no new grants: it is silent or not ready, a handle cannot be read, or no
     * inventory of it is in sight.
     */
    STALE,
    /** A taint or MIG devices of somebody else keep claims away; who has it keeps it. */
    TAINTED,
    /** It, or a part of it, was given back, and its node has not let go. */
    DRAINING,
    /** Nothing of it is left. */
    GRANTED,
    /** In parts, of which some are left. */
    PARTLY_FREE,
    /** Nobody has anything of it. */
    FREE
  }

  /** One that its node lists. */
  record Listed(String node, Gpu gpu, ImmutableList<Holder> holders) {

    /**
     * How it is used.
     *
     * @param serving whether its node gets new grants
     */
    GpuUse use(boolean serving) {
      Usage usage =
          Usage.of(
              GpuShape.of(gpu),
              holders.stream().map(Holder::holding).collect(ImmutableList.toImmutableList()));
      State state = serving ? state(usage) : State.STALE;
      return new GpuUse(node, gpu.uuid(), Optional.of(gpu), state, Portion.of(usage, gpu), holders);
    }

    private State state(Usage usage) {
      if (!gpu.taints().isEmpty()) {
        return State.TAINTED;
      }
      if (holders.stream().anyMatch(Holder::draining)) {
        return State.DRAINING;
      }
      return holders.isEmpty() ? unheld(usage) : held(usage);
    }

    private State unheld(Usage usage) {
      if (GpuShape.of(gpu).obstacles().isEmpty()) {
        return State.FREE;
      }
      return new Spare(gpu, usage).any() ? State.PARTLY_FREE : State.TAINTED;
    }

    private State held(Usage usage) {
      return new Spare(gpu, usage).any() ? State.PARTLY_FREE : State.GRANTED;
    }
  }

  /**
   * Of a GPU that its node does not list.
   *
   * @param known whether there is an inventory of the node in sight
   */
  static GpuUse unlisted(String node, String uuid, boolean known, ImmutableList<Holder> holders) {
    State state = known ? State.LOST : State.STALE;
    return new GpuUse(node, uuid, Optional.empty(), state, 1, holders);
  }

  /** As its node calls it, or else its UUID. */
  public String name() {
    return gpu.map(Gpu::name).orElse(uuid);
  }

  /** Whether a taint keeps claims away from it, or from a MIG device of it. */
  public boolean tainted() {
    return gpu.filter(Gpu::isTainted).isPresent();
  }

  /** Whether a claim has it or a part of it. */
  public boolean granted() {
    return holders.stream().anyMatch(holder -> !holder.draining());
  }

  /** Whether somebody gave it or a part of it back, and the node has not let go. */
  public boolean draining() {
    return holders.stream().anyMatch(Holder::draining);
  }

  /** Whether it is used in parts. */
  public boolean shared() {
    return holders.stream().anyMatch(holder -> !(holder.part().part() instanceof Part.Whole));
  }

  /** How much of it one of its holders has; what is carved out of a part counts with that. */
  public double portion(Holder holder) {
    boolean inner =
        holders.stream()
            .anyMatch(other -> holder.part().inside().equals(Optional.of(other.claim())));
    return inner ? 0 : gpu.map(one -> Portion.of(holder.part().part(), one)).orElse(1.0);
  }

  /** Memory of the largest share that a claim could get of it now, if it asked for nothing else. */
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
