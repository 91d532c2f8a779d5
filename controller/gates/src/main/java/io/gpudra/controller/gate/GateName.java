package io.gpudra.controller.gate;

/**
 * The names of scheduling gates that end when the claims of a pod are allocated.
 *
 * @param driverName the name of this driver in classes
 */
public record GateName(String driverName) {
  private static final String GRANTED = "/granted";

  /** The gate that this driver removes. */
  public String own() {
    return driverName + GRANTED;
  }

  /** Whether a driver removes the gate, this one or another. */
  public static boolean isOfADriver(String gate) {
    return gate.endsWith(GRANTED);
  }
}
