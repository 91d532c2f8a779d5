package io.gpudra.controller.webhook;

import static java.util.Objects.requireNonNullElse;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.gson.JsonParseException;
import io.gpudra.controller.dra.ClassStore;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.telling.PodBlocker;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.controller.kube.mapping.ClaimMapping;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.ParametersReference;
import io.gpudra.crds.api.problem.ProblemList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimTemplate;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimTemplateSpec;
import java.util.List;
import java.util.Optional;

/**
 * Judges new claims and claim templates of this driver's classes by {@link Driver#parameters},
 * which is also evaluated before each allocation.
 */
final class ClaimAdmission {
  private final Driver<?> driver;
  private final ClassStore classes;
  private final ParametersObjects objects;
  private final ClaimMapping mapping;

  /** All parameters only read caches. */
  ClaimAdmission(Driver<?> driver, ClassStore classes, ParametersObjects objects) {
    this.driver = driver;
    this.classes = classes;
    this.objects = objects;
    this.mapping = new ClaimMapping(driver.name(), /* finalizer= */ "");
  }

  AdmissionDecision ofClaim(ReviewRequest review) {
    return whenNew(review, () -> review.object(V1alpha2ResourceClaim.class), "spec");
  }

  AdmissionDecision ofTemplate(ReviewRequest review) {
    return whenNew(
        review,
        () -> {
          V1alpha2ResourceClaimTemplateSpec template =
              requireNonNullElse(
                  review.object(V1alpha2ResourceClaimTemplate.class).getSpec(),
                  new V1alpha2ResourceClaimTemplateSpec());
          return new V1alpha2ResourceClaim().spec(template.getSpec());
        },
        "spec.spec");
  }

  private interface Reading {
    V1alpha2ResourceClaim read();
  }

  private AdmissionDecision whenNew(ReviewRequest review, Reading reading, String path) {
    if (!review.creates() || review.ofPart() || review.ofEndingObject()) {
      return AdmissionDecision.allowed();
    }
    try {
      V1alpha2ResourceClaim claim = reading.read();
      V1ObjectMeta metadata = requireNonNullElse(claim.getMetadata(), new V1ObjectMeta());
      claim.setMetadata(metadata.namespace(Strings.nullToEmpty(review.namespace())));
      return decide(mapping.facts(claim), path);
    } catch (JsonParseException e) {
      return AdmissionDecision.warned(
          "could not be read: " + ProblemList.shortened("" + e.getMessage()));
    }
  }

  private AdmissionDecision decide(ClaimFacts claim, String path) {
    Optional<ClassFacts> found = classes.get(claim.className());
    return switch (ClassState.of(found, driver.name())) {
      case OTHER, STRUCTURED -> AdmissionDecision.allowed();
      case ABSENT ->
          AdmissionDecision.warned(
              "%s.resourceClassName: Not found: ResourceClass \"%s\""
                  .formatted(path, ProblemList.shortened(claim.className())));
      case OURS -> decide(found.orElseThrow(), claim, path);
    };
  }

  private AdmissionDecision decide(ClassFacts ofClaim, ClaimFacts claim, String path) {
    List<String> ownProblems = claim.parameters().map(ClaimAdmission::problems).orElse(List.of());
    if (!ownProblems.isEmpty()) {
      return AdmissionDecision.of(
          ownProblems.stream().map(text -> path + text.substring("spec".length())).toList());
    }
    return PodBlocker.ofParameters("", claim, driver.parameters(ofClaim, claim))
        .map(podBlocker -> decide(podBlocker, claim, path))
        .orElseGet(AdmissionDecision::allowed);
  }

  private static List<String> problems(ParametersRef ref) {
    return new ParametersReference(ref.apiGroup(), ref.kind(), null, ref.name()).problemsOfClaim();
  }

  private AdmissionDecision decide(PodBlocker podBlocker, ClaimFacts claim, String path) {
    return switch (podBlocker.kind()) {
      case PARAMETERS_MISSING -> AdmissionDecision.warned(missing(podBlocker, path));
      case NAMESPACE_NOT_ALLOWED ->
          objects.labelsOfNamespace(claim.ref().namespace()).isEmpty()
              ? AdmissionDecision.warned(
                  "%s; its labels are not known yet".formatted(text(podBlocker)))
              : refused(podBlocker, claim);
      case CLASS_LIMIT, ATTRIBUTE_FORBIDDEN, PARAMETERS_INVALID -> refused(podBlocker, claim);
      case NOT_YET, MISSING, NOT_OWNED, ENDING, TOO_MANY, CLASS_ABSENT ->
          throw new IllegalStateException("no obstacle of parameters: " + podBlocker.kind());
    };
  }

  private static String missing(PodBlocker podBlocker, String path) {
    return "%s.parametersRef.name: Not found: %s".formatted(path, text(podBlocker));
  }

  private static String text(PodBlocker podBlocker) {
    return String.join("; ", podBlocker.texts());
  }

  /** The messages begin with paths in the parameters, so the object is named first. */
  private static AdmissionDecision refused(PodBlocker podBlocker, ClaimFacts claim) {
    ImmutableList<String> whose =
        claim.parameters().stream()
            .map(
                ref ->
                    "%s \"%s\": "
                        .formatted(GpuClaimParameters.KIND, ProblemList.shortened(ref.name())))
            .collect(ImmutableList.toImmutableList());
    return new AdmissionDecision.Refused(
        AdmissionDecision.INVALID, String.join("", whose) + text(podBlocker), /* doubtful= */ true);
  }
}
