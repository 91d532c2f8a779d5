package io.gpudra.controller.webhook.certificate;

import java.io.IOException;
import java.util.Optional;

/** A cluster's Secret and webhook configuration, for several replicas. */
final class StoredInMemory implements CertificateStore {
  private Stored stored = new Stored("1", Optional.empty(), Optional.empty(), Optional.empty());
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
    stored = new Stored(next(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  synchronized void distrust() {
    trusted = "";
  }

  @Override
  public synchronized Stored read() throws IOException {
    if (!reachable) {
      throw new IOException("not reachable");
    }
    return stored;
  }

  @Override
  public synchronized Stored write(Stored wanted) throws IOException {
    if (!read().version().equals(wanted.version())) {
      throw new IOException("conflict");
    }
    stored = new Stored(next(), wanted.serving(), wanted.next(), wanted.previousCa());
    return stored;
  }

  private String next() {
    return "" + (Integer.parseInt(stored.version()) + 1);
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
