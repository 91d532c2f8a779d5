package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/** Port to the ResourceClasses. */
public interface Classes {

  /** From the cache. */
  Optional<ClassFacts> get(String name);

  /** Names of the classes that refer to these class parameters, in the cache. */
  ImmutableList<String> ofParameters(ParametersRef parameters);
}
