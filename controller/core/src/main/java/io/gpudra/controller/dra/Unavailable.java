package io.gpudra.controller.dra;

/** The API server did not answer a read; the work is repeated with back-off. */
public final class Unavailable extends Exception {
  private static final long serialVersionUID = 1L;

  public Unavailable(String attempted) {
    super(attempted);
  }

  public Unavailable(String attempted, Throwable cause) {
    super(attempted, cause);
  }
}
