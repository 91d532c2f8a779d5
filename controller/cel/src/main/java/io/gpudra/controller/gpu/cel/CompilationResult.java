package io.gpudra.controller.gpu.cel;

import com.google.common.collect.ImmutableList;

/** The result of compiling a condition's text. */
public sealed interface CompilationResult {

  /** A well-formed and well-typed condition that yields true or false. */
  record Compiled(DeviceExpression expression) implements CompilationResult {}

  /** An invalid condition; each problem is a sentence without the field's path. */
  record Faulty(ImmutableList<String> problems) implements CompilationResult {}
}
