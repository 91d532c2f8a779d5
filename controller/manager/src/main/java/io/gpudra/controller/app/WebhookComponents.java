package io.gpudra.controller.app;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.webhook.Webhook;
import io.gpudra.controller.webhook.certificate.CertificateObjects;
import io.gpudra.controller.webhook.certificate.CertificateProviders;
import io.gpudra.controller.webhook.certificate.ReloadableKeyManager;
import java.io.IOException;
import java.util.Optional;

/** Creates the webhook from the options. */
final class WebhookComponents {

  private WebhookComponents() {}

  /**
   * Starts listening; empty if the webhook is off.
   *
   * @throws IOException if the port cannot be bound
   */
  static Optional<Webhook> open(
      ControllerOptions options, HttpClients http, ControllerComponents controllerComponents)
      throws IOException {
    if (options.webhookPort == null) {
      return Optional.empty();
    }
    ReloadableKeyManager key = new ReloadableKeyManager();
    return Optional.of(
        Webhook.open(
            options.ports.at(options.webhookPort),
            controllerComponents.admission(),
            key,
            keeper(options, http, controllerComponents, key)));
  }

  private static Runnable keeper(
      ControllerOptions options,
      HttpClients http,
      ControllerComponents controllerComponents,
      ReloadableKeyManager key) {
    return options.webhookCertificates == null
        ? CertificateProviders.ofSecret(
            http,
            new CertificateObjects(options.namespace, options.webhookName, options.gates),
            controllerComponents.election()::mayWrite,
            key)
        : CertificateProviders.ofFiles(options.webhookCertificates, key);
  }
}
