/**
 * What the webhook shows to API servers, and how they come to trust it. Start at {@code
 * Certificates}, which the leader lets write; every replica reads the same Secret and serves what
 * it finds. {@code Rotation} decides, {@code Issuer} makes; {@code CertificateFiles} is for those
 * who have others make it.
 *
 * <p>What must stay true: each certificate has a CA of its own, whose key nobody keeps; API servers
 * trust old and new CA for a while before the one is served in place of the other, and after; no
 * handshake sees the key of one and the certificate of the other. Of the cluster only one Secret
 * and one ValidatingWebhookConfiguration are touched, by name.
 */
@NullMarked
package io.gpudra.controller.webhook.certificate;

import org.jspecify.annotations.NullMarked;
