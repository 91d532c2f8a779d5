package io.gpudra.controller.app;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.webhook.Webhook;
import io.gpudra.controller.webhook.certificate.Keepers;
import io.gpudra.controller.webhook.certificate.ServedKey;
import java.io.IOException;
import java.util.Optional;

/** Creates the webhook from the options. */
final class WebhookParts {

  private WebhookParts() {}

  /**
   * Starts listening; empty if the webhook is off.
   *
   * @throws IOException if the port cannot be bound
   */
  static Optional<Webhook> open(Options options, HttpClients http, Parts parts) throws IOException {
    if (options.webhookPort == null) {
      return Optional.empty();
    }
    ServedKey key = new ServedKey();
    return Optional.of(
        Webhook.open(
            options.ports.at(options.webhookPort),
            parts.admission(),
            key,
            keeper(options, http, parts, key)));
  }

  private static Runnable keeper(Options options, HttpClients http, Parts parts, ServedKey key) {
    return options.webhookCertificates == null
        ? Keepers.ofSecret(
            http, options.namespace, options.webhookName, parts.election()::mayWrite, key)
        : Keepers.ofFiles(options.webhookCertificates, key);
  }
}
