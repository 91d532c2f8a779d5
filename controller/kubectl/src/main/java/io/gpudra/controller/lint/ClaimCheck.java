package io.gpudra.controller.lint;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.lint.object.ObjectProblem;
import io.gpudra.crds.model.ClaimUid;
import java.util.stream.Stream;

/** Checks a claim or a template against its class and its parameters. */
record ClaimCheck(ManifestClaimReader reader) {

  ImmutableList<ObjectProblem> problems(LintObject lintObject) {
    ManifestClaim reading = reader.read(lintObject, new ClaimUid(lintObject.name()));
    String spec = lintObject.claimSpec();
    Stream<ObjectProblem> reference =
        reading.referenceProblems().stream().map(ObjectProblem::of).map(told -> placed(told, spec));
    Stream<ObjectProblem> together =
        reading.parameters().stream().flatMap(what -> together(what, reading, spec));
    return Stream.concat(reference, together).collect(ImmutableList.toImmutableList());
  }

  /** Moves paths of a claim one level deeper for a template. */
  private static ObjectProblem placed(ObjectProblem told, String spec) {
    return spec.equals("spec") ? told : told.below("spec");
  }

  private static Stream<ObjectProblem> together(
      DriverParameters<GpuRequest> what, ManifestClaim reading, String spec) {
    if (what instanceof DriverParameters.NotAllowed<GpuRequest> not) {
      return Stream.of(new ObjectProblem(spec + ".resourceClassName", not.text()));
    }
    if (what instanceof DriverParameters.OverLimit<GpuRequest> over) {
      return over.texts().stream()
          .map(text -> new ObjectProblem(spec + ".resourceClassName", text));
    }
    if (what instanceof DriverParameters.Forbidden<GpuRequest> forbidden) {
      return forbidden.problems().stream().map(problem -> ofParameters(problem, reading, spec));
    }
    return what instanceof DriverParameters.Invalid<GpuRequest> invalid
        ? invalid.problems().stream().map(problem -> ofParameters(problem, reading, spec))
        : Stream.empty();
  }

  private static ObjectProblem ofParameters(String problem, ManifestClaim reading, String spec) {
    return new ObjectProblem(spec + ".parametersRef", reading.named(problem));
  }
}
