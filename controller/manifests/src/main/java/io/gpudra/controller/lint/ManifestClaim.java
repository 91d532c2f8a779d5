package io.gpudra.controller.lint;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.PodUse;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;

/**
 * The facts about a claim, or about a claim from a template.
 *
 * @param driver of its class; empty if the class is not given
 * @param referenceProblems problems of its reference to parameters, if these are this driver's
 * @param parameters of class and claim together; empty if the claim is not this driver's, or if
 *     class or parameters are missing or invalid
 */
record ManifestClaim(
    ClaimFacts claim,
    ClassFacts resourceClass,
    Optional<String> driver,
    ImmutableList<String> referenceProblems,
    Optional<DriverParameters<GpuRequest>> parameters) {

  /** Adds the name of the parameters to a problem with them. */
  String named(String problem) {
    return claim
        .parameters()
        .filter(ref -> problem.startsWith("spec"))
        .map(ref -> "%s \"%s\": %s".formatted(ref.kind(), ref.name(), problem))
        .orElse(problem);
  }

  /** The claim as an entry of a pod. */
  PodUse.Entry entry(String name) {
    return new PodUse.Entry(name, Optional.of(claim), driver);
  }

  ClaimUid uid() {
    return claim.uid();
  }

  /** The pending claim; empty if there is nothing to check. */
  Optional<PendingClaim<GpuRequest>> pending(PodUse use) {
    return parameters.flatMap(
        what ->
            what instanceof DriverParameters.Ready<GpuRequest> ready
                ? Optional.of(new PendingClaim<>(claim, resourceClass, ready.value(), use))
                : Optional.empty());
  }
}
