package io.gpudra.simulator.api;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A refusal: the HTTP code and the Status object a client would get. */
public final class ApiError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int code;
  private final transient ObjectNode status;

  public ApiError(int code, ObjectNode status) {
    super(status.path("message").asText());
    this.code = code;
    this.status = status;
  }

  /** The HTTP code, such as 409. */
  public int code() {
    return code;
  }

  /** A {@code v1} Status. */
  public ObjectNode status() {
    return status;
  }
}
