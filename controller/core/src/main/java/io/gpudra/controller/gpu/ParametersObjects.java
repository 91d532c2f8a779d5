package io.gpudra.controller.gpu;

import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import java.util.Optional;

/** Port to the parameter objects and what they speak of, from a cache; never blocks. */
public interface ParametersObjects {

  /** The object of this name in the claim's namespace. */
  Optional<GpuClaimParameters> ofClaim(String namespace, String name);

  /** Why {@link #ofClaim} has no object although one is stored. */
  Optional<String> problemOfClaim(String namespace, String name);

  /** The object of this name. */
  Optional<GpuClassParameters> ofClass(String name);

  /** Empty also while they are not known. */
  Optional<ImmutableMap<String, String>> labelsOfNamespace(String namespace);

  /** Why {@link #ofClass} has no object although one is stored. */
  Optional<String> problemOfClass(String name);
}
