package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.ParametersRef;

/** What a driver makes of the parameters of a class and a claim. */
public sealed interface Parameters<P> {

  /** Usable. */
  record Ready<P>(P value) implements Parameters<P> {}

  /** A named object does not exist; the text names it. */
  record Missing<P>(ParametersRef ref, String text) implements Parameters<P> {}

  /** Whatever the claim asks for, its class does not serve its namespace; the text names both. */
  record NotAllowed<P>(String text) implements Parameters<P> {}

  /** Nothing is wrong but that its class does not give so much; each a sentence that names both. */
  record OverLimit<P>(ImmutableList<String> texts) implements Parameters<P> {}

  /**
   * Nothing is wrong but that conditions read what the class forbids; each with the field's path.
   */
  record Forbidden<P>(ImmutableList<String> problems) implements Parameters<P> {}

  /** Wrong in these ways, each a sentence with the field's path and the allowed values. */
  record Invalid<P>(ImmutableList<String> problems) implements Parameters<P> {}
}
