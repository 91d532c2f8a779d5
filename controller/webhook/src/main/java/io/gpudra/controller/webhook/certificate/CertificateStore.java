package io.gpudra.controller.webhook.certificate;

import java.io.IOException;

/** Port to the Secret and to what API servers are told to trust. Never says what is in a key. */
interface CertificateStore {

  /** What the Secret holds. */
  Stored read() throws IOException;

  /**
   * Writes it, unless somebody else has since {@code wanted.version()}.
   *
   * @return what the Secret holds now
   * @throws IOException also when somebody else wrote first
   */
  Stored write(Stored wanted) throws IOException;

  /** Whether each webhook trusts exactly this bundle. */
  boolean trusted(String bundle) throws IOException;

  /** Has each webhook trust this bundle. */
  void trust(String bundle) throws IOException;
}
