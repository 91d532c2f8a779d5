package io.gpudra.controller.webhook.certificate;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The next step of the rotation. A new leader can resume after any step. */
enum RotationStep {
  NOTHING,
  /** There is no valid certificate. */
  MAKE,
  /** The certificate expires soon: the next one is issued, and both CAs are published. */
  PREPARE,
  /** All API servers trust the next certificate. */
  SWITCH,
  /** No replica serves the old certificate. */
  FORGET;

  /**
   * Decides the next step.
   *
   * @param settled whether all replicas and API servers have read the Secret and its CAs
   */
  static RotationStep next(CertificateSecret certificateSecret, Instant now, boolean settled) {
    if (certificateSecret.serving().filter(one -> now.isBefore(one.parsed().ends())).isEmpty()) {
      return MAKE;
    }
    if (certificateSecret.previousCa().isPresent()) {
      return settled ? FORGET : NOTHING;
    }
    if (certificateSecret.next().isPresent()) {
      return settled ? SWITCH : NOTHING;
    }
    return isDue(certificateSecret.serving().get().parsed(), now) ? PREPARE : NOTHING;
  }

  /** Whether the certificate is in the last third of its lifetime. */
  private static boolean isDue(ServerCertificate certificate, Instant now) {
    Duration life = Duration.between(certificate.begins(), certificate.ends());
    return now.isAfter(certificate.ends().minus(life.dividedBy(3)));
  }

  /** The content of the Secret after this step. */
  CertificateSecret applied(
      CertificateSecret certificateSecret, CertificateIssuer issuer, Instant now) {
    return switch (this) {
      case NOTHING -> certificateSecret;
      case MAKE ->
          new CertificateSecret(
              certificateSecret.version(),
              Optional.of(issuer.issue(now)),
              Optional.empty(),
              Optional.empty());
      case PREPARE ->
          new CertificateSecret(
              certificateSecret.version(),
              certificateSecret.serving(),
              Optional.of(issuer.issue(now)),
              Optional.empty());
      case SWITCH ->
          new CertificateSecret(
              certificateSecret.version(),
              certificateSecret.next(),
              Optional.empty(),
              certificateSecret.serving().map(IssuedCertificate::ca));
      case FORGET ->
          new CertificateSecret(
              certificateSecret.version(),
              certificateSecret.serving(),
              Optional.empty(),
              Optional.empty());
    };
  }
}
