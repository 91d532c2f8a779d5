package io.gpudra.controller.client.watch;

import java.io.IOException;

/** A list takes longer than its limit. */
public final class TooSlowException extends IOException {
  private static final long serialVersionUID = 1L;

  TooSlowException(String problem) {
    super(problem);
  }
}
