package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gpu.cel.Attribute;
import io.gpudra.controller.gpu.cel.DeviceExpression;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec.Entry;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Conditions that read what a class forbids. What a condition reads is what it is given when it is
 * evaluated, so none reads more than is seen here.
 *
 * @param attributes as classes name them
 * @param by who forbids them, for people
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
            .map(Attribute::variable)
            .collect(Collectors.joining(" and "));
    return Optional.of(names).filter(some -> !some.isEmpty());
  }
}
