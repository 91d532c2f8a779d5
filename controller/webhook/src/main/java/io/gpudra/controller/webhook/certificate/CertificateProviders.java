package io.gpudra.controller.webhook.certificate;

import io.gpudra.controller.client.HttpClients;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Tasks that keep the certificate up to date; to be run periodically. */
public final class CertificateProviders {
  private static final Duration LIFE = Duration.ofDays(90);

  /** Four times the interval at which replicas read the Secret. */
  private static final Duration MIN_AGE = Duration.ofMinutes(2);

  private CertificateProviders() {}

  /**
   * A task for a certificate that the leader issues.
   *
   * @param leads whether this process may write them
   */
  public static Runnable ofSecret(
      HttpClients http,
      CertificateObjects objects,
      BooleanSupplier leads,
      ReloadableKeyManager key) {
    return new CertificateReconciler(
        new KubeCertificateStore(http.calls(), objects),
        new CertificateIssuer("%s.%s.svc".formatted(objects.name(), objects.namespace()), LIFE),
        leads,
        key,
        new CertificateReconciler.Times(Clock.systemUTC(), System::nanoTime, MIN_AGE));
  }

  /** A task for a certificate from other software, such as cert-manager. */
  public static Runnable ofFiles(Path directory, ReloadableKeyManager key) {
    return new CertificateFiles(directory, key);
  }
}
