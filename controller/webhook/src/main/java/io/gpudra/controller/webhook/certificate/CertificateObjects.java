package io.gpudra.controller.webhook.certificate;

/**
 * The objects that a certificate of the webhook is written to.
 *
 * @param namespace of the Secret and the Service
 * @param name of the Secret, the Service and the webhook configurations
 * @param mutating whether there may be a MutatingWebhookConfiguration of this name
 */
public record CertificateObjects(String namespace, String name, boolean mutating) {}
