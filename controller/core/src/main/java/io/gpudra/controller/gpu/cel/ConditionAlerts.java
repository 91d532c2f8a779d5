package io.gpudra.controller.gpu.cel;

/** Port to whoever tells people and counts. Called often for the same thing; returns at once. */
public interface ConditionAlerts {

  /** A user's condition fails on some device, which then does not match: {@code 1 / 0 == 1}. */
  void conditionFailed(String expression, String problem);

  /** A condition yields neither true nor false although it was checked: a defect of ours. */
  void conditionBroken(String expression, String result);
}
