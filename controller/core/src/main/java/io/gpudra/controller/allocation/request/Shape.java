package io.gpudra.controller.allocation.request;

import java.util.Optional;
import java.util.OptionalInt;

/** What of a GPU a wish wants. */
public sealed interface Shape {

  /** All of it. */
  record Whole() implements Shape {}

  /**
   * A MIG device.
   *
   * @param profile as users write it, with or without a compute instance; absent for any, the
   *     smallest first
   */
  record Mig(Optional<String> profile) implements Shape {

    /** Of {@code 1c.2g.10gb} the GPU instance, {@code 2g.10gb}; of others themselves. */
    public Optional<String> gpuInstance() {
      return profile.map(written -> namesInstance(written) ? written.substring(3) : written);
    }

    /**
     * Whether a GPU instance of this profile is meant, or would have the compute instance in it.
     */
    public boolean isOf(String gpuInstance) {
      return gpuInstance().orElse(gpuInstance).equals(gpuInstance);
    }

    /** How many compute slices the compute instance has that is wanted of a GPU instance. */
    public OptionalInt instance() {
      return profile.filter(Mig::namesInstance).isPresent()
          ? OptionalInt.of(profile.get().charAt(0) - '0')
          : OptionalInt.empty();
    }

    private static boolean namesInstance(String written) {
      return written.startsWith("c.", 1);
    }
  }

  /** The sight of it, whoever has it: with one such wish a claim sees all GPUs of the node. */
  record Sight() implements Shape {}

  /**
   * Some of its memory and compute, beside shares of other claims.
   *
   * @param memoryBytes more than 0
   * @param millicores thousandths of its compute; 0 for none in particular
   * @param overcommitPercent to how many percent of its memory the GPU may be promised, 100 to 400
   */
  record Share(long memoryBytes, int millicores, int overcommitPercent) implements Shape {}
}
