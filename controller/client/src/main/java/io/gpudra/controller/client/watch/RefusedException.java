package io.gpudra.controller.client.watch;

import java.io.IOException;

/** The server answered, but not with the requested objects. */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1;

  private final int code;

  RefusedException(String path, int code) {
    super("GET " + path + " answered " + code);
    this.code = code;
  }

  /** The HTTP code, such as 403. */
  public int code() {
    return code;
  }
}
