package io.gpudra.controller.webhook.certificate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code tls.crt} and {@code tls.key} of a directory, such as a mounted Secret of
 * cert-manager. Reads them again each time it runs.
 */
final class CertificateFiles implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(CertificateFiles.class);

  private final Path directory;
  private final ReloadableKeyManager key;
  private String lastProblem = "";

  CertificateFiles(Path directory, ReloadableKeyManager key) {
    this.directory = directory;
    this.key = key;
  }

  @Override
  public void run() {
    try {
      key.serve(
          ServerCertificate.parse(
              Files.readString(directory.resolve("tls.crt")),
              Files.readString(directory.resolve("tls.key"))));
      lastProblem = "";
    } catch (IOException e) {
      if (!lastProblem.equals(e.toString())) {
        lastProblem = e.toString();
        log.warn("certificate of the webhook cannot be read directory={} why={}", directory, e);
      }
    }
  }
}
