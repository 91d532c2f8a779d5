package io.gpudra.controller.lint;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.lint.object.Told;
import io.gpudra.crds.model.ClaimUid;
import java.util.stream.Stream;

/** Checks a claim or a template against its class and its parameters. */
record ClaimCheck(ClaimReader reader) {

  ImmutableList<Told> problems(Subject subject) {
    ClaimReading reading = reader.read(subject, new ClaimUid(subject.name()));
    String spec = subject.claimSpec();
    Stream<Told> reference =
        reading.referenceProblems().stream().map(Told::of).map(told -> placed(told, spec));
    Stream<Told> together =
        reading.parameters().stream().flatMap(what -> together(what, reading, spec));
    return Stream.concat(reference, together).collect(ImmutableList.toImmutableList());
  }

  /** Moves paths of a claim one level deeper for a template. */
  private static Told placed(Told told, String spec) {
    return spec.equals("spec") ? told : told.below("spec");
  }

  private static Stream<Told> together(
      DriverParameters<GpuRequest> what, ClaimReading reading, String spec) {
    if (what instanceof DriverParameters.NotAllowed<GpuRequest> not) {
      return Stream.of(new Told(spec + ".resourceClassName", not.text()));
    }
    if (what instanceof DriverParameters.OverLimit<GpuRequest> over) {
      return over.texts().stream().map(text -> new Told(spec + ".resourceClassName", text));
    }
    if (what instanceof DriverParameters.Forbidden<GpuRequest> forbidden) {
      return forbidden.problems().stream().map(problem -> ofParameters(problem, reading, spec));
    }
    return what instanceof DriverParameters.Invalid<GpuRequest> invalid
        ? invalid.problems().stream().map(problem -> ofParameters(problem, reading, spec))
        : Stream.empty();
  }

  private static Told ofParameters(String problem, ClaimReading reading, String spec) {
    return new Told(spec + ".parametersRef", reading.named(problem));
  }
}
