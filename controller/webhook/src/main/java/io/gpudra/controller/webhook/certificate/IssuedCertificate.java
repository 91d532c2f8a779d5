package io.gpudra.controller.webhook.certificate;

import java.io.IOException;
import java.util.Optional;

/**
 * A certificate with its own CA, as PEM.
 *
 * @param parsed certificate and key
 */
record IssuedCertificate(String certificate, String key, String ca, ServerCertificate parsed) {

  static IssuedCertificate of(String certificate, String key, String ca) throws IOException {
    return new IssuedCertificate(certificate, key, ca, ServerCertificate.parse(certificate, key));
  }

  /** Reads PEM. Empty if a part is missing or invalid; then a new certificate is issued. */
  static Optional<IssuedCertificate> read(String certificate, String key, String ca) {
    try {
      return ca.isEmpty() ? Optional.empty() : Optional.of(of(certificate, key, ca));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
