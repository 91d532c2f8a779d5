package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.ParametersRef;

/** The driver's reading of the parameters of a class and a claim. */
public sealed interface DriverParameters<P> {

  /** Valid parameters. */
  record Ready<P>(P value) implements DriverParameters<P> {}

  /** A named object does not exist; the text names it. */
  record Missing<P>(ParametersRef ref, String text) implements DriverParameters<P> {}

  /** The class does not serve the claim's namespace, for any request; the text names both. */
  record NotAllowed<P>(String text) implements DriverParameters<P> {}

  /** The only fault: the claim exceeds limits of its class; each a sentence that names both. */
  record OverLimit<P>(ImmutableList<String> texts) implements DriverParameters<P> {}

  /** The only fault: conditions read what the class forbids; each problem has the field's path. */
  record Forbidden<P>(ImmutableList<String> problems) implements DriverParameters<P> {}

  /** Invalid parameters; each problem names the field's path and the allowed values. */
  record Invalid<P>(ImmutableList<String> problems) implements DriverParameters<P> {}
}
