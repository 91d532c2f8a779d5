package io.gpudra.controller.gate;

/**
 * The grants that one pass gives back. Several calls are made for each pod and each claim, one
 * after the other. Confined to one thread.
 */
public final class ReturnBudget {
  /** The pods of a pass. */
  public static final int PODS = 32;

  /** The claims of a pass, after which no further pod is taken. */
  static final int CLAIMS = 256;

  private int pods;
  private int claims;

  /**
   * Takes a pod.
   *
   * @param granted the number of its claims
   * @return whether its claims are given back in this pass
   */
  public boolean take(int granted) {
    if (pods == PODS || claims >= CLAIMS) {
      return false;
    }
    pods++;
    claims += granted;
    return true;
  }
}
