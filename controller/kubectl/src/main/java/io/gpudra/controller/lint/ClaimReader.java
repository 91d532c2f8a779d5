package io.gpudra.controller.lint;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.gpu.GpuChecks;
import io.gpudra.controller.lint.object.Kind;
import io.gpudra.controller.lint.object.References;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.time.Instant;
import java.util.Optional;

/** Reads claims and templates together with their class and parameters. */
final class ClaimReader {

  private final String driver;
  private final Given given;
  private final GpuChecks checks;

  ClaimReader(String driver, Given given, GpuChecks checks) {
    this.driver = driver;
    this.given = given;
    this.checks = checks;
  }

  /**
   * A claim or a template.
   *
   * @param uid distinguishes it from other claims of a pod
   */
  ClaimReading read(Subject subject, ClaimUid uid) {
    JsonNode spec = subject.part(subject.claimSpec());
    JsonNode reference = spec.path("parametersRef");
    ClaimFacts claim = facts(subject, spec, uid);
    Optional<Subject> ofClass = given.find(Kind.RESOURCE_CLASS, claim.className(), subject);
    Optional<String> driverOfClass = ofClass.map(one -> one.part("driverName").asText());
    boolean ours = driverOfClass.map(driver::equals).orElseGet(() -> References.isOurs(reference));
    ImmutableList<String> problems =
        ours && reference.isObject()
            ? References.of(reference).problemsOfClaim()
            : ImmutableList.of();
    ClassFacts resourceClass = facts(claim.className(), ofClass, subject);
    return new ClaimReading(
        claim,
        resourceClass,
        driverOfClass,
        problems,
        Optional.of(new GivenParameters(given, subject))
            .filter(objects -> ours && problems.isEmpty())
            .map(objects -> checks.parameters(objects, resourceClass, claim)));
  }

  /** A class with unknown parameters has no restrictions. */
  private ClassFacts facts(String name, Optional<Subject> ofClass, Subject from) {
    Optional<ParametersRef> parameters =
        ofClass
            .filter(one -> given.problems(one).isEmpty())
            .flatMap(one -> References.named(one.part("parametersRef")))
            .filter(ref -> given.findSound(Kind.CLASS_PARAMETERS, ref.name(), from).isPresent());
    return new ClassFacts(name, driver, /* structured= */ false, parameters, Optional.empty());
  }

  private static ClaimFacts facts(Subject subject, JsonNode spec, ClaimUid uid) {
    boolean immediate = spec.path("allocationMode").asText().equals("Immediate");
    return new ClaimFacts(
        new ClaimRef(subject.namespace(), subject.name()),
        uid,
        /* resourceVersion= */ "",
        Instant.EPOCH,
        spec.path("resourceClassName").asText(),
        References.named(spec.path("parametersRef")),
        immediate ? Mode.IMMEDIATE : Mode.DELAYED,
        /* deleting= */ false,
        /* deallocationRequested= */ false,
        /* guarded= */ false,
        /* structured= */ false,
        /* allocation= */ Optional.empty(),
        /* lingering= */ false,
        /* reservedFor= */ ImmutableSet.of(),
        /* ownerUid= */ Optional.empty());
  }
}
