package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Parameter objects, the same in every namespace: on the server, or as one controller knows them.
 */
final class Parameters implements ParametersObjects {
  private final Map<String, GpuClaimParameters> byName;

  Parameters(Map<String, GpuClaimParameters> byName) {
    this.byName = new TreeMap<>(byName);
  }

  void put(String name, Optional<GpuClaimParameters> object) {
    object.ifPresentOrElse(found -> byName.put(name, found), () -> byName.remove(name));
  }

  @Override
  public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
    return Optional.ofNullable(byName.get(name));
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
