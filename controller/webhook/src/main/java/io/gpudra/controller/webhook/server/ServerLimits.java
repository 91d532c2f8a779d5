package io.gpudra.controller.webhook.server;

import java.time.Duration;

/**
 * Limits for clients.
 *
 * @param clients maximum number of connections
 * @param body maximum bytes of one request; an update has two objects of up to 3 MiB
 * @param bodies maximum bytes of all requests together
 * @param request time limit for receiving a request, and for the first one since the connection
 * @param answer time limit for answering and sending the answer
 * @param idle time limit between an answer and the next request; API servers use 90 s
 */
public record ServerLimits(
    int clients, int body, int bodies, Duration request, Duration answer, Duration idle) {

  /** Defaults for a small heap. */
  public static final ServerLimits USUAL =
      new ServerLimits(
          512,
          7 << 20,
          16 << 20,
          Duration.ofSeconds(5),
          Duration.ofSeconds(5),
          Duration.ofSeconds(120));

  /** Part of {@link #bodies} for small requests. */
  int reserve() {
    return bodies / 8;
  }

  /** Maximum bytes of a small request. */
  int small() {
    return reserve() / 32;
  }
}
