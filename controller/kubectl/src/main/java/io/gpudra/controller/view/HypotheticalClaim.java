package io.gpudra.controller.view;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.controller.manifest.ClaimTemplate;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.controller.snapshot.NoOpAlerts;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.time.Instant;
import java.util.Optional;

/** Evaluates hypothetical claims with the driver. */
record HypotheticalClaim(ClusterSnapshot cluster) {
  private static final String NAME = "asked";
  private static final ClassFacts CLASS_WITHOUT_PARAMETERS =
      new ClassFacts(NAME, "", false, Optional.empty(), Optional.empty());

  /** The nodes that have this number of whole GPUs for one claim. */
  ImmutableSet<String> fittingGpus(int count, ImmutableSet<String> nodes) {
    return fitting(GpuClaimParametersSpec.of(count, null), nodes);
  }

  /** The nodes that have a MIG device of this profile for a claim. */
  ImmutableSet<String> fittingProfile(String profile, ImmutableSet<String> nodes) {
    return fitting(GpuClaimParametersSpec.of(1, profile), nodes);
  }

  private ImmutableSet<String> fitting(GpuClaimParametersSpec spec, ImmutableSet<String> nodes) {
    if (nodes.isEmpty() || !spec.problems().isEmpty()) {
      return ImmutableSet.of();
    }
    GpuDriver driver =
        new GpuDriver(
            cluster.driver().name(),
            new Only(spec),
            cluster.ledgers(),
            () -> new GrantAudit(0, Instant.EPOCH),
            new NoOpAlerts());
    DriverParameters<GpuRequest> parameters = driver.parameters(CLASS_WITHOUT_PARAMETERS, claim());
    return parameters instanceof DriverParameters.Ready<GpuRequest> ready
        ? Sets.difference(nodes, refusing(driver, ready.value(), nodes)).immutableCopy()
        : ImmutableSet.of();
  }

  private static ImmutableSet<String> refusing(
      GpuDriver driver, GpuRequest request, ImmutableSet<String> nodes) {
    PendingClaim<GpuRequest> asked = new PendingClaim<>(claim(), CLASS_WITHOUT_PARAMETERS, request);
    return driver.suitability(ImmutableList.of(asked), nodes).refusingNodes();
  }

  private static ClaimFacts claim() {
    ParametersRef parameters =
        new ParametersRef(GpuApi.GROUP, GpuClaimParameters.KIND, Optional.of(""), NAME);
    return new ClaimTemplate(NAME, Optional.of(parameters), ClaimFacts.Mode.DELAYED)
        .claim(new ClaimRef("", ""), new ClaimUid(""), Optional.empty());
  }

  /** Returns the same object for every name. */
  private record Only(GpuClaimParametersSpec spec) implements ParametersObjects {

    @Override
    public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
      return Optional.of(
          new GpuClaimParameters(GpuApi.GROUP_VERSION, GpuClaimParameters.KIND, null, spec));
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
}
