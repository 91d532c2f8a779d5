package io.gpudra.controller.snapshot;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import java.util.Optional;

/** The parameters objects of one snapshot. */
record ParametersSnapshot(ClusterObjects reading) implements ParametersObjects {

  @Override
  public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
    return Optional.ofNullable(reading.claimParameters().get(ObjectCache.key(namespace, name)));
  }

  @Override
  public Optional<String> problemOfClaim(String namespace, String name) {
    return problem(GpuClaimParameters.KIND, namespace, name);
  }

  @Override
  public Optional<GpuClassParameters> ofClass(String name) {
    return Optional.ofNullable(reading.classParameters().get(name));
  }

  @Override
  public Optional<String> problemOfClass(String name) {
    return problem(GpuClassParameters.KIND, "", name);
  }

  @Override
  public Optional<ImmutableMap<String, String>> labelsOfNamespace(String namespace) {
    return Optional.ofNullable(reading.namespaces().get(namespace));
  }

  private Optional<String> problem(String kind, String namespace, String name) {
    return reading.malformed().stream()
        .filter(object -> object.kind().equals(kind))
        .filter(object -> object.namespace().equals(namespace) && object.name().equals(name))
        .map(MalformedObject::problem)
        .findFirst();
  }
}
