package io.gpudra.controller.webhook.server;

import java.time.Duration;

/**
 * What clients may take up.
 *
 * @param clients most of them at a time
 * @param body most bytes of one request; the API server takes 3 MiB of an object, and an update has
 *     two
 * @param bodies most bytes of all requests that come, wait, or are being answered
 * @param request in which a request has to come once it began, and the first one once the client
 *     connected
 * @param answer in which it is answered and the answer is fetched
 * @param idle between an answer and the next request; longer than the 90 s of API servers
 */
public record Limits(
    int clients, int body, int bodies, Duration request, Duration answer, Duration idle) {

  /** For a process with a small heap. */
  public static final Limits USUAL =
      new Limits(
          512,
          7 << 20,
          16 << 20,
          Duration.ofSeconds(5),
          Duration.ofSeconds(5),
          Duration.ofSeconds(120));
}
