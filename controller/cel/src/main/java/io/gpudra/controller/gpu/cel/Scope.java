package io.gpudra.controller.gpu.cel;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The known value of a loop's variable, and those of the loops around it. */
record Scope<T>(String name, T value, @Nullable Scope<T> outer) {

  /** The value of the innermost variable of that name. */
  static <T> Optional<T> find(@Nullable Scope<T> innermost, String name) {
    for (Scope<T> scope = innermost; scope != null; scope = scope.outer) {
      if (scope.name.equals(name)) {
        return Optional.of(scope.value);
      }
    }
    return Optional.empty();
  }
}
