package io.gpudra.controller.webhook.certificate;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the certificate of the Secret and, on the leader, renews it. For one thread. The waiting
 * times are only known to this process, so a new leader starts them again.
 */
final class Certificates implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Certificates.class);

  private final CertificateStore store;
  private final Issuer issuer;
  private final BooleanSupplier leads;
  private final ServedKey key;
  private final Times times;
  private Optional<Settled> settled = Optional.empty();
  private String lastProblem = "";

  /**
   * Clocks and delay.
   *
   * @param pause after which every replica has read the Secret and every API server the CA bundle
   */
  record Times(Clock clock, LongSupplier nanos, Duration pause) {}

  private record Settled(String version, long since) {}

  Certificates(
      CertificateStore store, Issuer issuer, BooleanSupplier leads, ServedKey key, Times times) {
    this.store = store;
    this.issuer = issuer;
    this.leads = leads;
    this.key = key;
    this.times = times;
  }

  /** Runs once; failures are retried the next time. */
  @Override
  public void run() {
    try {
      Stored stored = store.read();
      if (leads.getAsBoolean()) {
        stored = keepFresh(stored);
      }
      stored
          .serving()
          .map(Issued::parsed)
          .filter(one -> times.clock().instant().isBefore(one.ends()))
          .ifPresentOrElse(key::serve, key::nothingToServe);
      lastProblem = "";
    } catch (IOException e) {
      tell("" + e.getMessage());
    }
  }

  /** Logs each problem once. */
  private void tell(String problem) {
    if (!Objects.equals(problem, lastProblem)) {
      lastProblem = problem;
      log.warn("webhook certificate cannot be renewed why={}", problem);
    }
  }

  private Stored keepFresh(Stored seen) throws IOException {
    haveTrusted(seen);
    Rotation step = Rotation.next(seen, times.clock().instant(), settled(seen));
    if (step == Rotation.NOTHING) {
      return seen;
    }
    Stored now = write(step, seen);
    haveTrusted(now);
    return now;
  }

  /** Publishes the CA bundle; a change restarts the pause. */
  private void haveTrusted(Stored stored) throws IOException {
    boolean trusted = stored.serving().isEmpty() || store.trusted(stored.bundle());
    if (!trusted) {
      store.trust(stored.bundle());
    }
    if (!trusted || settled.filter(one -> one.version().equals(stored.version())).isEmpty()) {
      settled = Optional.of(new Settled(stored.version(), times.nanos().getAsLong()));
    }
  }

  private Stored write(Rotation step, Stored seen) throws IOException {
    log.info("certificate of the webhook step={}", step);
    return store.write(step.applied(seen, issuer, times.clock().instant()));
  }

  private boolean settled(Stored seen) {
    return settled
        .filter(one -> one.version().equals(seen.version()))
        .filter(one -> times.nanos().getAsLong() - one.since() >= times.pause().toNanos())
        .isPresent();
  }
}
