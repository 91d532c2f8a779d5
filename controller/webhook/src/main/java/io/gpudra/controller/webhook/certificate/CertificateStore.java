package io.gpudra.controller.webhook.certificate;

import java.io.IOException;

/** Access to the Secret and to the CA bundles of the webhooks. Never logs a key. */
interface CertificateStore {

  /** Reads the Secret. */
  CertificateSecret read() throws IOException;

  /**
   * Writes the Secret if its version is still {@code wanted.version()}.
   *
   * @return the new content of the Secret
   * @throws IOException also if the version has changed
   */
  CertificateSecret write(CertificateSecret wanted) throws IOException;

  /** Whether each webhook has exactly this CA bundle. */
  boolean trusted(String bundle) throws IOException;

  /** Sets the CA bundle of each webhook. */
  void trust(String bundle) throws IOException;
}
