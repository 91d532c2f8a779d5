package io.gpudra.controller.webhook;

import static java.util.Objects.requireNonNullElse;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.gson.JsonParseException;
import io.gpudra.controller.dra.ClassStore;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.controller.kube.mapping.ClaimMapping;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Doubt;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.ParametersReference;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.model.NamespaceAudience;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimTemplate;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimTemplateSpec;
import java.util.List;
import java.util.Optional;

/**
 * Validates new claims and claim templates of this driver's classes by {@link Driver#parameters},
 * which is also called before each allocation.
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
    return driver.parameters(ofClaim, claim) instanceof DriverParameters.Refused<?> refused
        ? decide(refused.reason(), claim, path)
        : AdmissionDecision.allowed();
  }

  private static List<String> problems(ParametersRef ref) {
    return new ParametersReference(ref.apiGroup(), ref.kind(), null, ref.name()).problemsOfClaim();
  }

  private AdmissionDecision decide(UnsuitableReason reason, ClaimFacts claim, String path) {
    Doubt doubt = reason.kind().doubt();
    if (doubt == Doubt.UNSEEN_PARAMETERS) {
      return AdmissionDecision.warned(
          "%s.parametersRef.name: Not found: %s".formatted(path, text(reason)));
    }
    return doubt == Doubt.UNSEEN_NAMESPACE
            && objects.labelsOfNamespace(claim.ref().namespace()).isEmpty()
        ? AdmissionDecision.warned("%s; its labels are not known yet".formatted(text(reason)))
        : refused(reason, claim);
  }

  private static String text(UnsuitableReason reason) {
    return reason.text(NamespaceAudience.READER_OF_ALL);
  }

  /** The messages begin with paths in the parameters, so the object is named first. */
  private static AdmissionDecision refused(UnsuitableReason reason, ClaimFacts claim) {
    ImmutableList<String> whose =
        claim.parameters().stream()
            .map(
                ref ->
                    "%s \"%s\": "
                        .formatted(GpuClaimParameters.KIND, ProblemList.shortened(ref.name())))
            .collect(ImmutableList.toImmutableList());
    return new AdmissionDecision.Refused(
        AdmissionDecision.INVALID, String.join("", whose) + text(reason), /* doubtful= */ true);
  }
}
