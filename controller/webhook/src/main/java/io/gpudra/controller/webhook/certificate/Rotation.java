package io.gpudra.controller.webhook.certificate;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What is done next with the certificate; each step can be left at any time and found again. */
enum Rotation {
  NOTHING,
  /** There is none that serves. */
  MAKE,
  /** It ends soon: the next one is made, and its CA is published beside the present one. */
  PREPARE,
  /** All API servers trust the next one. */
  SWITCH,
  /** No replica shows the old one any more. */
  FORGET;

  /**
   * Decides.
   *
   * @param settled the Secret is as it is, and the CAs it names are published, for so long that
   *     everybody knows of both
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

  /** In the last third of its time. */
  private static boolean isDue(ServerCertificate certificate, Instant now) {
    Duration life = Duration.between(certificate.begins(), certificate.ends());
    return now.isAfter(certificate.ends().minus(life.dividedBy(3)));
  }

  /** What the Secret holds afterwards. */
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
