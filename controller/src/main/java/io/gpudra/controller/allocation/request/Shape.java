package io.gpudra.controller.allocation.request;

import java.util.Optional;

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
  record Mig(Optional<String> profile) implements Shape {}

  /**
   * Some of its memory and compute, beside shares of other claims.
   *
   * @param memoryBytes more than 0
   * @param millicores thousandths of its compute; 0 for none in particular
   * @param overcommitPercent to how many percent of its memory the GPU may be promised, 100 to 400
   */
  record Share(long memoryBytes, int millicores, int overcommitPercent) implements Shape {}
}
