package io.gpudra.scenarios.steps;

/** What must stay true did not. */
final class Violation extends Error {
  private static final long serialVersionUID = 1;

  Violation(String what) {
    super(what);
  }
}
