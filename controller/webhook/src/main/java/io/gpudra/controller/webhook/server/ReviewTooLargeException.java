package io.gpudra.controller.webhook.server;

import java.io.IOException;

/** A request that would take more memory than a review may. */
public final class ReviewTooLargeException extends IOException {
  private static final long serialVersionUID = 1L;

  public ReviewTooLargeException(String message) {
    super(message);
  }
}
