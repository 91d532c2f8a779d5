package io.gpudra.controller.lint;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.gpu.GpuChecks;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.object.ParametersRefReader;
import io.gpudra.controller.manifest.ClaimTemplate;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;

/** Reads claims and templates together with their class and parameters. */
record ManifestClaimReader(String driver, ManifestObjects manifestObjects, GpuChecks checks) {
  /**
   * Reads a claim or a template.
   *
   * @param uid distinguishes it from other claims of a pod
   */
  ManifestClaim read(LintObject lintObject, ClaimUid uid) {
    JsonNode spec = lintObject.part(lintObject.claimSpec());
    JsonNode reference = spec.path("parametersRef");
    ClaimFacts claim = facts(lintObject, spec, uid);
    Optional<LintObject> ofClass =
        manifestObjects.find(LintKind.RESOURCE_CLASS, claim.className(), lintObject);
    Optional<String> driverOfClass = ofClass.map(one -> one.part("driverName").asText());
    boolean ours =
        driverOfClass.map(driver::equals).orElseGet(() -> ParametersRefReader.isOurs(reference));
    ImmutableList<String> problems =
        ours && reference.isObject()
            ? ParametersRefReader.of(reference).problemsOfClaim()
            : ImmutableList.of();
    ClassFacts resourceClass = facts(claim.className(), ofClass, lintObject);
    return new ManifestClaim(
        claim,
        resourceClass,
        driverOfClass,
        problems,
        Optional.of(new ManifestParameters(manifestObjects, lintObject))
            .filter(objects -> ours && problems.isEmpty())
            .map(objects -> checks.parameters(objects, resourceClass, claim)));
  }

  /** A class with unknown parameters has no restrictions. */
  private ClassFacts facts(String name, Optional<LintObject> ofClass, LintObject from) {
    Optional<ParametersRef> parameters =
        ofClass
            .filter(one -> manifestObjects.problems(one).isEmpty())
            .flatMap(one -> ParametersRefReader.named(one.part("parametersRef")))
            .filter(
                ref ->
                    manifestObjects
                        .findSound(LintKind.CLASS_PARAMETERS, ref.name(), from)
                        .isPresent());
    return new ClassFacts(name, driver, /* structured= */ false, parameters, Optional.empty());
  }

  private static ClaimFacts facts(LintObject lintObject, JsonNode spec, ClaimUid uid) {
    boolean immediate = spec.path("allocationMode").asText().equals("Immediate");
    return new ClaimTemplate(
            spec.path("resourceClassName").asText(),
            ParametersRefReader.named(spec.path("parametersRef")),
            immediate ? Mode.IMMEDIATE : Mode.DELAYED)
        .claim(new ClaimRef(lintObject.namespace(), lintObject.name()), uid, Optional.empty());
  }
}
