package io.gpudra.crds.inventory;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.text.UtcTimes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Reads fields with any content; invalid content becomes a problem with a path. */
record FieldReader(ProblemList problems) {

  /** The readable entries of a list; a missing list is an empty one. */
  <T, R> ImmutableList<R> each(
      String path, @Nullable List<T> listed, BiFunction<String, T, Optional<R>> read) {
    List<T> entries = orEmpty(listed);
    ImmutableList.Builder<R> found = ImmutableList.builder();
    for (int i = 0; i < entries.size(); i++) {
      String at = path + "[" + i + "]";
      T entry = entries.get(i);
      if (entry == null) {
        problems.required(at);
      } else {
        read.apply(at, entry).ifPresent(found::add);
      }
    }
    return found.build();
  }

  Optional<String> text(String path, @Nullable String value) {
    return problems.text(path, value);
  }

  <N extends Number> Optional<N> atLeast(long least, String path, @Nullable N value) {
    if (value == null) {
      problems.required(path);
      return Optional.empty();
    }
    if (value.longValue() < least) {
      problems.add(
          path,
          least == 0
              ? "Invalid value: " + value + ": must not be negative"
              : "Invalid value: " + value + ": must be at least " + least);
      return Optional.empty();
    }
    return Optional.of(value);
  }

  /** Reads a time; an absent time is valid. */
  Optional<Instant> time(String path, @Nullable String text) {
    return text == null ? Optional.empty() : parsed(path, text);
  }

  private Optional<Instant> parsed(String path, String text) {
    Optional<Instant> time = UtcTimes.withAnyOffset(text);
    if (time.isEmpty()) {
      problems.add(path, "Invalid value: \"%s\": no time".formatted(ProblemList.shortened(text)));
    }
    return time;
  }

  void duplicate(String path, String value) {
    problems.add(path, "Duplicate value: \"%s\"".formatted(ProblemList.shortened(value)));
  }

  void notFound(String path, String value, String where) {
    problems.add(
        path, "Not found: \"%s\" is not %s".formatted(ProblemList.shortened(value), where));
  }

  static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }
}
