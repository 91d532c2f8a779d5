package io.gpudra.controller.gate;

import io.gpudra.controller.loop.ControllerDelays;

/**
 * A list of the pods of a group took longer than {@link ControllerDelays#GROUP_LIST}. The next one
 * may be faster, so nothing is concluded from this.
 */
public final class SlowListException extends Exception {
  private static final long serialVersionUID = 1L;

  public SlowListException(String list, Throwable cause) {
    super(list, cause);
  }
}
