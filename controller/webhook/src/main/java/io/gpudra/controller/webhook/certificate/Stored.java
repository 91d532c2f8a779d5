package io.gpudra.controller.webhook.certificate;

import static java.util.stream.Collectors.joining;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the Secret holds.
 *
 * @param version of the object, which a write must have seen
 * @param serving what every replica shows
 * @param next what will be shown once API servers trust it, too
 * @param previousCa of what was shown before, as long as a replica may still show it
 */
record Stored(
    String version, Optional<Issued> serving, Optional<Issued> next, Optional<String> previousCa) {

  /** What API servers are to trust. */
  String bundle() {
    return Stream.of(serving.map(Issued::ca), next.map(Issued::ca), previousCa)
        .flatMap(Optional::stream)
        .map(String::strip)
        .distinct()
        .collect(joining("\n", "", "\n"));
  }
}
