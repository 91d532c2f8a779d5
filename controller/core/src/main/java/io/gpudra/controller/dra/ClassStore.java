package io.gpudra.controller.dra;

import io.gpudra.controller.dra.facts.ClassFacts;
import java.util.Optional;

/** Port to the ResourceClasses. */
public interface ClassStore {

  /** From the cache. */
  Optional<ClassFacts> get(String name);
}
