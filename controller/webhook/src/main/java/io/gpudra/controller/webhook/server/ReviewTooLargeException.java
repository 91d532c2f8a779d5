package io.gpudra.controller.webhook.server;

import java.io.IOException;

/** A request exceeds the memory limit of a review. */
public final class ReviewTooLargeException extends IOException {
  private static final long serialVersionUID = 1L;

  public ReviewTooLargeException(String message) {
    super(message);
  }
}
