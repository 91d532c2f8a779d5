package io.gpudra.controller.webhook.certificate;

import io.gpudra.controller.client.HttpClients;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Who sees to it that there is a certificate to show; to be run again and again. */
public final class Keepers {
  private static final Duration LIFE = Duration.ofDays(90);

  /** Four times as long as it takes a replica to look again. */
  private static final Duration SETTLED = Duration.ofMinutes(2);

  private Keepers() {}

  /**
   * The one that this driver makes.
   *
   * @param name of the Secret, the Service and the ValidatingWebhookConfiguration
   * @param leads whether this process may write them
   */
  public static Runnable ofSecret(
      HttpClients http, String namespace, String name, BooleanSupplier leads, ServedKey key) {
    return new Certificates(
        new KubeCertificateStore(http.calls(), namespace, name),
        new Issuer("%s.%s.svc".formatted(name, namespace), LIFE),
        leads,
        key,
        new Certificates.Times(Clock.systemUTC(), System::nanoTime, SETTLED));
  }

  /** The one that somebody else makes. */
  public static Runnable ofFiles(Path directory, ServedKey key) {
    return new CertificateFiles(directory, key);
  }
}
