package io.gpudra.controller.webhook.certificate;

import java.io.IOException;
import java.util.Optional;

/**
 * A certificate with its own CA, as PEM.
 *
 * @param parsed what the two texts say
 */
record Issued(String certificate, String key, String ca, ServerCertificate parsed) {

  static Issued of(String certificate, String key, String ca) throws IOException {
    return new Issued(certificate, key, ca, ServerCertificate.parse(certificate, key));
  }

  /** Empty when one of the texts is missing or cannot be read: it is made anew then. */
  static Optional<Issued> read(String certificate, String key, String ca) {
    try {
      return ca.isEmpty() ? Optional.empty() : Optional.of(of(certificate, key, ca));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
