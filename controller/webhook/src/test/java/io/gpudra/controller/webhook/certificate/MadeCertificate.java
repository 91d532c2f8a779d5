package io.gpudra.controller.webhook.certificate;

import java.time.Duration;
import java.time.Instant;

/** A key to serve with, and what to trust for it. */
public record MadeCertificate(ReloadableKeyManager key, String ca) {

  /** As API servers call the webhook. */
  public static final String HOST = "gpudra-webhook.gpudra.svc";

  /** Valid for a day. */
  public static MadeCertificate now() {
    IssuedCertificate issued = issuer(Duration.ofDays(1)).issue(Instant.now());
    ReloadableKeyManager key = new ReloadableKeyManager();
    key.serve(issued.parsed());
    return new MadeCertificate(key, issued.ca());
  }

  static CertificateIssuer issuer(Duration life) {
    return new CertificateIssuer(HOST, life);
  }
}
