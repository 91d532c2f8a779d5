package io.gpudra.controller.dra.facts;

import java.util.Optional;

/** Whose claims a class makes. */
public enum ClassState {
  OURS,
  OTHER,
  /** The scheduler allocates: nobody's controller may touch its claims. */
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
