package io.gpudra.controller.gpu.cel;

/** Port to events and metrics. Called often for the same condition; returns at once. */
public interface ConditionAlerts {

  /** A user's condition fails on some device, which then does not match: {@code 1 / 0 == 1}. */
  void conditionFailed(String expression, String problem);

  /** A checked condition yields neither true nor false: a defect of ours. */
  void conditionBroken(String expression, String result);
}
