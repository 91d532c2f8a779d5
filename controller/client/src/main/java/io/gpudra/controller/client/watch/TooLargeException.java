package io.gpudra.controller.client.watch;

import java.io.IOException;

/** The read fields of an object exceed its memory limit, or a list exceeds its limit. */
public final class TooLargeException extends IOException {
  private static final long serialVersionUID = 1L;

  TooLargeException(long most) {
    this("what is read of the object would take more than %d bytes of memory".formatted(most));
  }

  TooLargeException(String problem) {
    super(problem);
  }
}
