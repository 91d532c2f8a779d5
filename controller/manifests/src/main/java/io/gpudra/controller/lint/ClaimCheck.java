package io.gpudra.controller.lint;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.lint.object.ObjectProblem;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.stream.Stream;

/** Checks a claim or a template against its class and its parameters. */
record ClaimCheck(ManifestClaimReader reader) {

  ImmutableList<ObjectProblem> problems(LintObject lintObject) {
    ManifestClaim reading = reader.read(lintObject, new ClaimUid(lintObject.name()));
    String spec = lintObject.claimSpec();
    Stream<ObjectProblem> reference =
        reading.referenceProblems().stream()
            .map(ObjectProblem::of)
            .map(objectProblem -> placed(objectProblem, spec));
    Stream<ObjectProblem> together =
        reading.parameters().stream().flatMap(what -> together(what, reading, spec));
    return Stream.concat(reference, together).collect(ImmutableList.toImmutableList());
  }

  /** Moves the path of a problem one level deeper for a template. */
  private static ObjectProblem placed(ObjectProblem objectProblem, String spec) {
    return spec.equals("spec") ? objectProblem : objectProblem.below("spec");
  }

  private static Stream<ObjectProblem> together(
      DriverParameters<GpuRequest> what, ManifestClaim reading, String spec) {
    return what instanceof DriverParameters.Refused<GpuRequest> refused
            && refused.reason().kind() != Kind.PARAMETERS_NOT_FOUND
        ? refused.reason().sentences(NamespaceAudience.READER_OF_ALL).stream()
            .map(
                problem ->
                    isOfClass(refused.reason().kind())
                        ? new ObjectProblem(spec + ".resourceClassName", problem)
                        : ofParameters(problem, reading, spec))
        : Stream.empty();
  }

  private static boolean isOfClass(Kind kind) {
    return kind == Kind.NAMESPACE_NOT_ALLOWED || kind == Kind.CLASS_LIMIT;
  }

  private static ObjectProblem ofParameters(String problem, ManifestClaim reading, String spec) {
    return new ObjectProblem(spec + ".parametersRef", reading.named(problem));
  }
}
