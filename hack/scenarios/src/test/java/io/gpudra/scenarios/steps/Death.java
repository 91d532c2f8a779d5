package io.gpudra.scenarios.steps;

/** A process is gone: nothing it would have done from here on happens. */
final class Death extends Error {
  private static final long serialVersionUID = 1;

  Death(String process) {
    super(process + " is dead", null, false, false);
  }
}
