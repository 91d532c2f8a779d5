/**
 * The webhook's certificate and its rotation. Start at {@code CertificateReconciler}: every replica
 * serves the certificate of the Secret, and the leader renews it. {@code RotationStep} decides the
 * next step, {@code CertificateIssuer} issues certificates; {@code CertificateFiles} serves those
 * of cert-manager.
 *
 * <p>What must stay true: each certificate has its own CA, whose key is discarded; API servers
 * trust the old and the new CA for some time before and after a switch; no handshake mixes the key
 * of one certificate with another certificate. Only one Secret and two webhook configurations are
 * written, by name.
 */
@NullMarked
package io.gpudra.controller.webhook.certificate;

import org.jspecify.annotations.NullMarked;
