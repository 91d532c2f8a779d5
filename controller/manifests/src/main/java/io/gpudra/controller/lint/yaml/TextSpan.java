package io.gpudra.controller.lint.yaml;

/**
 * A part of a text, in UTF-16 units from its beginning.
 *
 * @param start of the name of a field; of the value where there is no name
 * @param valueStart of the value
 * @param end after the last character of the value
 * @param flow whether the value is a collection in brackets, or in one
 */
public record TextSpan(int start, int valueStart, int end, boolean flow) {

  TextSpan from(int other) {
    return new TextSpan(other, valueStart, end, flow);
  }

  /** Whether the value has a name. */
  boolean isField() {
    return start != valueStart;
  }
}
