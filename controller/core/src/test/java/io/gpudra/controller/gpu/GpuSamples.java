package io.gpudra.controller.gpu;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A cluster's objects as this package's tests need them. */
final class GpuSamples {

  static final String NAMESPACE = "team-a";

  private GpuSamples() {}

  static ClassFacts resourceClass(Optional<ParametersRef> parameters) {
    return new ClassFacts(
        "gpu.example.com", DeviceSamples.DRIVER, false, parameters, Optional.empty());
  }

  static ClaimFacts claim(String name, Optional<ParametersRef> parameters) {
    return Some.claim(name)
        .in(NAMESPACE)
        .uid("uid-of-" + name)
        .created(Instant.EPOCH)
        .ofClass("gpu.example.com")
        .parameters(parameters)
        .facts();
  }

  static ClaimFacts immediate(ClaimFacts claim) {
    return Some.of(claim).immediate().mayStillBePrepared(false).facts();
  }

  static Optional<ParametersRef> ofClaim(String name) {
    return Optional.of(
        new ParametersRef(GpuApi.GROUP, GpuClaimParameters.KIND, Optional.of(NAMESPACE), name));
  }

  static Optional<ParametersRef> ofClass(String name) {
    return Optional.of(
        new ParametersRef(GpuApi.GROUP_VERSION, GpuClassParameters.KIND, Optional.empty(), name));
  }

  /** The cache of parameter objects, as a map. */
  static final class Objects implements ParametersObjects {
    private final Map<String, GpuClaimParameters> ofClaims = new HashMap<>();
    private final Map<String, GpuClassParameters> ofClasses = new HashMap<>();
    final Map<String, String> problems = new HashMap<>();
    final Map<String, ImmutableMap<String, String>> namespaces = new HashMap<>();

    /** Of parameters of claims. */
    int lookups;

    Objects put(String name, GpuClaimParametersSpec spec) {
      V1ObjectMeta metadata = new V1ObjectMeta().namespace(NAMESPACE).name(name).generation(5L);
      ofClaims.put(
          NAMESPACE + "/" + name,
          new GpuClaimParameters(GpuApi.GROUP_VERSION, GpuClaimParameters.KIND, metadata, spec));
      return this;
    }

    Objects put(String name, GpuClassParametersSpec spec) {
      ofClasses.put(
          name,
          new GpuClassParameters(
              GpuApi.GROUP_VERSION, GpuClassParameters.KIND, new V1ObjectMeta().name(name), spec));
      return this;
    }

    @Override
    public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
      lookups++;
      return Optional.ofNullable(ofClaims.get(namespace + "/" + name));
    }

    @Override
    public Optional<String> problemOfClaim(String namespace, String name) {
      return Optional.ofNullable(problems.get(namespace + "/" + name));
    }

    @Override
    public Optional<GpuClassParameters> ofClass(String name) {
      return Optional.ofNullable(ofClasses.get(name));
    }

    @Override
    public Optional<String> problemOfClass(String name) {
      return Optional.ofNullable(problems.get(name));
    }

    @Override
    public Optional<ImmutableMap<String, String>> labelsOfNamespace(String namespace) {
      return Optional.ofNullable(namespaces.get(namespace));
    }
  }

  /** Writes down what it is told. */
  static final class Alerts extends DeviceSamples.Told implements GpuAlerts {
    @Override
    public void unreadableHandle(
        ClaimRef ref, ClaimUid claim, Optional<String> node, String problem) {
      told.add("unreadable " + ref + " on " + node.orElse("?") + ": " + problem);
    }

    @Override
    public void strayHandle(ClaimRef ref, ClaimUid claim, Grant grant) {
      told.add("stray " + ref + " has the grant of " + grant.claim() + " on " + grant.node());
    }

    @Override
    public void searchLost(ClaimRef ref) {
      told.add("search lost " + ref);
    }
  }
}
