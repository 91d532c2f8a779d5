package io.gpudra.crds.model;

import com.google.common.math.IntMath;
import java.util.Optional;

/** The part of one GPU that a claim holds. */
public sealed interface Part {

  /** The whole GPU. */
  record Whole() implements Part {}

  /**
   * A MIG device: a GPU instance, and all of its compute or one compute instance of it.
   *
   * @param profile of the GPU instance as the driver writes it, such as {@code 1g.5gb} or {@code
   *     1g.10gb+me}; no compute instance in it
   * @param start first memory slice
   * @param size memory slices
   * @param compute compute slices of the GPU instance
   * @param instance the compute instance, absent for all of the GPU instance
   */
  record Slice(String profile, int start, int size, int compute, Optional<Instance> instance)
      implements Part {

    /** The first memory slice after this one. */
    public int end() {
      return start + size;
    }

    /** Whether both have a memory slice in common. */
    public boolean overlaps(Slice other) {
      return start < other.end() && other.start < end();
    }

    /** Whether both are, or are in, the same GPU instance. */
    public boolean sameInstance(Slice other) {
      return wholeInstance().equals(other.wholeInstance());
    }

    /**
     * Whether both have the same place in the GPU and in the GPU instance. The names of their
     * profiles may differ: another version of the driver may use another name.
     */
    public boolean samePlace(Slice other) {
      return start == other.start && size == other.size && instance.equals(other.instance);
    }

    /** The profile as users write it, {@code 1g.5gb}; of a compute instance {@code 1c.2g.10gb}. */
    public String written() {
      return instance.map(one -> one.compute() + "c." + profile).orElse(profile);
    }

    /** The name of the device on a GPU of this name, such as {@code gpu-0-mig-1g.10gb.me-4}. */
    public String nameOn(String gpu) {
      String place = instance.map(one -> start + "-" + one.start()).orElse(String.valueOf(start));
      return "%s-mig-%s-%s".formatted(gpu, written().replace('+', '.'), place);
    }

    /** The GPU instance that contains it. */
    public Slice wholeInstance() {
      return with(Optional.empty());
    }

    /** This compute instance of the same GPU instance, or all of the GPU instance. */
    public Slice with(Optional<Instance> other) {
      return new Slice(profile, start, size, compute, other);
    }
  }

  /**
   * A compute instance of a GPU instance.
   *
   * @param start first compute slice within the GPU instance
   * @param compute compute slices
   */
  record Instance(int start, int compute) {

    /** Whether both have a compute slice in common. */
    public boolean overlaps(Instance other) {
      return start < other.start + other.compute && other.start < start + compute;
    }

    /**
     * The instance with all slices that it blocks for others where its size is rounded up to a
     * power of two.
     */
    public Instance aligned() {
      return new Instance(start, IntMath.ceilingPowerOfTwo(compute));
    }
  }

  /**
   * A share of memory and compute, beside others.
   *
   * @param memoryBytes more than 0
   * @param millicores thousandths of the GPU's compute; 0 counts as none
   */
  record Share(long memoryBytes, int millicores) implements Part {}
}
