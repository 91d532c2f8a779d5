package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gpu.cel.CompilationResult;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.gpu.cel.DeviceExpression;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec.Entry;
import io.gpudra.crds.model.node.DeviceAttribute;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the conditions of claims and classes, and adds their problems to a list. */
record ConditionTexts(ConditionCompiler conditionCompiler) {

  private static final int MAX_CHARACTERS = 4096;

  /** An absent condition is valid. */
  Optional<DeviceExpression> read(String path, @Nullable String cel, List<String> problems) {
    if (cel == null) {
      return Optional.empty();
    }
    CompilationResult compilation = conditionCompiler.compile(cel);
    if (compilation instanceof CompilationResult.Compiled compiled) {
      return Optional.of(compiled.expression());
    }
    ((CompilationResult.Faulty) compilation)
        .problems()
        .forEach(problem -> problems.add("%s: %s".formatted(path, problem)));
    return Optional.empty();
  }

  /** All conditions of a claim together have the limit of one. */
  ImmutableList<Optional<DeviceExpression>> read(
      GpuClaimParametersSpec claim, List<String> problems) {
    int characters =
        claim.entries().stream()
            .flatMap(entry -> Stream.ofNullable(entry.request().cel()))
            .distinct()
            .mapToInt(cel -> cel.codePointCount(0, cel.length()))
            .sum();
    if (characters > MAX_CHARACTERS) {
      problems.add(
          "spec: the conditions of all entries have %d characters together, at most %d are allowed"
              .formatted(characters, MAX_CHARACTERS));
      return ImmutableList.of();
    }
    return claim.entries().stream()
        .map(entry -> read(entry.path() + ".cel", entry.request().cel(), problems))
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Finds conditions that read forbidden attributes of a class. A condition is evaluated with the
   * attributes that it reads, so it reads no others.
   *
   * @param attributes the forbidden attributes, as classes name them
   * @param by the class that forbids them, for texts
   */
  record ForbiddenReads(ImmutableSet<String> attributes, String by) {

    /** A sentence for each such condition, with its path. */
    ImmutableList<String> problems(
        ImmutableList<Entry> entries, ImmutableList<Optional<DeviceExpression>> conditions) {
      return IntStream.range(0, conditions.size())
          .boxed()
          .flatMap(
              i ->
                  conditions.get(i).stream()
                      .flatMap(one -> names(one).stream())
                      .map(
                          names ->
                              entries.get(i).path()
                                  + ".cel: Forbidden: %s lets no condition read %s"
                                      .formatted(by, names)))
          .collect(toImmutableList());
    }

    private Optional<String> names(DeviceExpression condition) {
      String names =
          condition.reads().stream()
              .filter(one -> attributes.contains(one.forbiddenAs()))
              .map(DeviceAttribute::variable)
              .collect(Collectors.joining(" and "));
      return Optional.of(names).filter(some -> !some.isEmpty());
    }
  }
}
