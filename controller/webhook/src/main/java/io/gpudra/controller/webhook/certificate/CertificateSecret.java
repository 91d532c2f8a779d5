package io.gpudra.controller.webhook.certificate;

import static java.util.stream.Collectors.joining;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * Content of the Secret.
 *
 * @param version resource version, a precondition of writes
 * @param serving certificate that every replica serves
 * @param next certificate that will be served once API servers trust it
 * @param previousCa CA of the last certificate, while a replica may still serve it
 */
record CertificateSecret(
    String version,
    Optional<IssuedCertificate> serving,
    Optional<IssuedCertificate> next,
    Optional<String> previousCa) {

  /** CA bundle for API servers. */
  String bundle() {
    return Stream.of(
            serving.map(IssuedCertificate::ca), next.map(IssuedCertificate::ca), previousCa)
        .flatMap(Optional::stream)
        .map(String::strip)
        .distinct()
        .collect(joining("\n", "", "\n"));
  }
}
