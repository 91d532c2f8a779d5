package io.gpudra.scenarios.steps;

import io.gpudra.controller.dra.ClassFacts;
import java.util.Optional;

/** The one class of a simulated cluster. */
final class Classes {
  static final String NAME = "gpu";

  private static final ClassFacts GPU =
      new ClassFacts(NAME, Facts.DRIVER, false, Optional.empty(), Optional.empty());

  private Classes() {}

  static Optional<ClassFacts> get(String name) {
    return Optional.of(GPU).filter(known -> known.name().equals(name));
  }
}
