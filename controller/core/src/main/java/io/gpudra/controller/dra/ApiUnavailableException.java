package io.gpudra.controller.dra;

/** The API server did not answer a read; the work is repeated with back-off. */
public final class ApiUnavailableException extends Exception {
  private static final long serialVersionUID = 1L;

  public ApiUnavailableException(String attempted) {
    super(attempted);
  }

  public ApiUnavailableException(String attempted, Throwable cause) {
    super(attempted, cause);
  }
}
