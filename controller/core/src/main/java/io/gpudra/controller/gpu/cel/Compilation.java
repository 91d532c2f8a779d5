package io.gpudra.controller.gpu.cel;

import com.google.common.collect.ImmutableList;

/** What became of a condition's text. */
public sealed interface Compilation {

  /** Well formed, well typed, yields true or false. */
  record Compiled(DeviceExpression expression) implements Compilation {}

  /** Wrong in these ways, each a sentence without the field's path. */
  record Faulty(ImmutableList<String> problems) implements Compilation {}
}
