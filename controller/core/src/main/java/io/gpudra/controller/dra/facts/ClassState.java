package io.gpudra.controller.dra.facts;

import java.util.Optional;

/** The owner of a class's claims. */
public enum ClassState {
  OURS,
  OTHER,
  /** The scheduler allocates: no controller may change its claims. */
  STRUCTURED,
  ABSENT;

  public static ClassState of(Optional<ClassFacts> resourceClass, String driverName) {
    return resourceClass
        .map(
            found -> {
              if (found.structured()) {
                return STRUCTURED;
              }
              return found.driverName().equals(driverName) ? OURS : OTHER;
            })
        .orElse(ABSENT);
  }
}
