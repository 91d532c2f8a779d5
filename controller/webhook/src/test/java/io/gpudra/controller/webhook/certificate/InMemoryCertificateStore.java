package io.gpudra.controller.webhook.certificate;

import java.io.IOException;
import java.util.Optional;

/** A cluster's Secret and webhook configuration, for several replicas. */
final class InMemoryCertificateStore implements CertificateStore {
  private CertificateSecret certificateSecret =
      new CertificateSecret("1", Optional.empty(), Optional.empty(), Optional.empty());
  private String trusted = "";
  private boolean reachable = true;

  synchronized void reachable(boolean is) {
    reachable = is;
  }

  synchronized String trustedNow() {
    return trusted;
  }

  /** As an administrator may. */
  synchronized void empty() {
    certificateSecret =
        new CertificateSecret(next(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  synchronized void distrust() {
    trusted = "";
  }

  @Override
  public synchronized CertificateSecret read() throws IOException {
    if (!reachable) {
      throw new IOException("not reachable");
    }
    return certificateSecret;
  }

  @Override
  public synchronized CertificateSecret write(CertificateSecret wanted) throws IOException {
    if (!read().version().equals(wanted.version())) {
      throw new IOException("conflict");
    }
    certificateSecret =
        new CertificateSecret(next(), wanted.serving(), wanted.next(), wanted.previousCa());
    return certificateSecret;
  }

  private String next() {
    return "" + (Integer.parseInt(certificateSecret.version()) + 1);
  }

  @Override
  public synchronized boolean trusted(String bundle) {
    return trusted.equals(bundle);
  }

  @Override
  public synchronized void trust(String bundle) {
    trusted = bundle;
  }
}
