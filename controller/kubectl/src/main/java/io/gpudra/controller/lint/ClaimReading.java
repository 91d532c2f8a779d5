package io.gpudra.controller.lint;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.Parameters;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.PodUse;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;

/**
 * What can be known of a claim, or of a claim that would be made of a template.
 *
 * @param driver of its class; empty when the class is not given
 * @param referenceProblems what is wrong with its reference to parameters, if that is ours
 * @param parameters what class and claim ask for together; empty when the claim is not ours, or
 *     what it names is not given or wrong by itself
 */
record ClaimReading(
    ClaimFacts claim,
    ClassFacts resourceClass,
    Optional<String> driver,
    ImmutableList<String> referenceProblems,
    Optional<Parameters<GpuRequest>> parameters) {

  /** Before a problem of the parameters that it names, so that people find it. */
  String named(String problem) {
    return claim
        .parameters()
        .filter(ref -> problem.startsWith("spec"))
        .map(ref -> "%s \"%s\": %s".formatted(ref.kind(), ref.name(), problem))
        .orElse(problem);
  }

  /** As an entry of a pod. */
  PodUse.Entry entry(String name) {
    return new PodUse.Entry(name, Optional.of(claim), driver);
  }

  ClaimUid uid() {
    return claim.uid();
  }

  /** Empty when there is nothing to look at. */
  Optional<PendingClaim<GpuRequest>> pending(PodUse use) {
    return parameters.flatMap(
        what ->
            what instanceof Parameters.Ready<GpuRequest> ready
                ? Optional.of(new PendingClaim<>(claim, resourceClass, ready.value(), use))
                : Optional.empty());
  }
}
