package io.gpudra.controller.gpu;

import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import java.util.Optional;

/** Port to the parameters objects and the labels of namespaces, from a cache; never blocks. */
public interface ParametersObjects {

  /** The object of this name in the claim's namespace. */
  Optional<GpuClaimParameters> ofClaim(String namespace, String name);

  /** The reason why {@link #ofClaim} has no object although one is stored. */
  default Optional<String> problemOfClaim(String namespace, String name) {
    return Optional.empty();
  }

  /** The object of this name. */
  Optional<GpuClassParameters> ofClass(String name);

  /** The labels of a namespace; also empty while they are unknown. */
  Optional<ImmutableMap<String, String>> labelsOfNamespace(String namespace);

  /** The reason why {@link #ofClass} has no object although one is stored. */
  default Optional<String> problemOfClass(String name) {
    return Optional.empty();
  }
}
