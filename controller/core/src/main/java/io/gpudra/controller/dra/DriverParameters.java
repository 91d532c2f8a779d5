package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.reason.ListedReason;
import io.gpudra.controller.reason.UnsuitableReason;

/** The driver's interpretation of the parameters of a class and a claim. */
public sealed interface DriverParameters<P> {

  /** Valid parameters. */
  record Ready<P>(P value) implements DriverParameters<P> {}

  /** Parameters that are missing or wrong, or that the class does not allow. */
  record Refused<P>(UnsuitableReason reason) implements DriverParameters<P> {}

  /**
   * A refusal.
   *
   * @param problems a sentence each; of invalid parameters, it begins with the field's path
   */
  static <P> DriverParameters<P> refused(
      UnsuitableReason.Kind kind, ImmutableList<String> problems) {
    return new Refused<>(new ListedReason(kind, problems));
  }
}
