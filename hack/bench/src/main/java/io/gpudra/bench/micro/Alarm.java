package io.gpudra.bench.micro;

import io.gpudra.controller.snapshot.NoOpAlerts;

/** Fails when a condition of the bench does: it would measure something else. */
final class Alarm extends NoOpAlerts {

  @Override
  public void conditionFailed(String expression, String problem) {
    throw new IllegalStateException(expression + ": " + problem);
  }

  @Override
  public void conditionBroken(String expression, String result) {
    throw new IllegalStateException(expression + " yields a " + result);
  }
}
