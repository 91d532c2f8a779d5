package io.gpudra.controller.gpu;

import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import java.util.Optional;

/** For callers that pass the objects themselves. */
enum NoParameters implements ParametersObjects {
  AT_ALL;

  @Override
  public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
    return Optional.empty();
  }

  @Override
  public Optional<GpuClassParameters> ofClass(String name) {
    return Optional.empty();
  }

  @Override
  public Optional<ImmutableMap<String, String>> labelsOfNamespace(String namespace) {
    return Optional.empty();
  }
}
