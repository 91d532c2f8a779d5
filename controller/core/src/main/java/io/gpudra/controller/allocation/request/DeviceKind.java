package io.gpudra.controller.allocation.request;

import java.util.Optional;
import java.util.OptionalInt;

/** The part of a GPU that a sub-request asks for. */
public sealed interface DeviceKind {

  /** The whole GPU. */
  record Whole() implements DeviceKind {}

  /**
   * A MIG device.
   *
   * @param profile as users write it, with or without a compute instance; absent for any, the
   *     smallest first
   */
  record Mig(Optional<String> profile) implements DeviceKind {

    /** The GPU instance {@code 2g.10gb} of {@code 1c.2g.10gb}; other profiles are their own. */
    public Optional<String> gpuInstance() {
      return profile.map(written -> namesInstance(written) ? written.substring(3) : written);
    }

    /** Whether a GPU instance of this profile is meant, or can contain the compute instance. */
    public boolean isOf(String gpuInstance) {
      return gpuInstance().orElse(gpuInstance).equals(gpuInstance);
    }

    /** The number of compute slices, if a compute instance of a GPU instance is wanted. */
    public OptionalInt instance() {
      return profile.filter(Mig::namesInstance).isPresent()
          ? OptionalInt.of(profile.get().charAt(0) - '0')
          : OptionalInt.empty();
    }

    private static boolean namesInstance(String written) {
      return written.startsWith("c.", 1);
    }
  }

  /**
   * Monitoring access, also to a GPU in use: a claim with this sub-request sees all GPUs of the
   * node.
   */
  record MonitorAccess() implements DeviceKind {}

  /**
   * A part of the GPU's memory and compute, beside shares of other claims.
   *
   * @param memoryBytes more than 0
   * @param millicores thousandths of the GPU's compute; 0 for no fixed amount
   * @param overcommitPercent the limit of all shares, in percent of the GPU's memory, 100 to 400
   */
  record Share(long memoryBytes, int millicores, int overcommitPercent) implements DeviceKind {}
}
