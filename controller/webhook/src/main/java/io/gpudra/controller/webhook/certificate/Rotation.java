package io.gpudra.controller.webhook.certificate;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The next step of the rotation. A new leader can resume after any step. */
enum Rotation {
  NOTHING,
  /** There is no valid certificate. */
  MAKE,
  /** It expires soon: the next one is issued, and both CAs are published. */
  PREPARE,
  /** All API servers trust the next one. */
  SWITCH,
  /** No replica serves the old one. */
  FORGET;

  /**
   * Decides the next step.
   *
   * @param settled whether all replicas and API servers have read the Secret and its CAs
   */
  static Rotation next(Stored stored, Instant now, boolean settled) {
    if (stored.serving().filter(one -> now.isBefore(one.parsed().ends())).isEmpty()) {
      return MAKE;
    }
    if (stored.previousCa().isPresent()) {
      return settled ? FORGET : NOTHING;
    }
    if (stored.next().isPresent()) {
      return settled ? SWITCH : NOTHING;
    }
    return isDue(stored.serving().get().parsed(), now) ? PREPARE : NOTHING;
  }

  /** In the last third of its lifetime. */
  private static boolean isDue(ServerCertificate certificate, Instant now) {
    Duration life = Duration.between(certificate.begins(), certificate.ends());
    return now.isAfter(certificate.ends().minus(life.dividedBy(3)));
  }

  /** Content of the Secret after this step. */
  Stored applied(Stored stored, Issuer issuer, Instant now) {
    return switch (this) {
      case NOTHING -> stored;
      case MAKE ->
          new Stored(
              stored.version(), Optional.of(issuer.issue(now)), Optional.empty(), Optional.empty());
      case PREPARE ->
          new Stored(
              stored.version(), stored.serving(), Optional.of(issuer.issue(now)), Optional.empty());
      case SWITCH ->
          new Stored(
              stored.version(), stored.next(), Optional.empty(), stored.serving().map(Issued::ca));
      case FORGET ->
          new Stored(stored.version(), stored.serving(), Optional.empty(), Optional.empty());
    };
  }
}
