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
 * Serves the certificate of the Secret and, on the leader, renews it. For one thread. Only this
 * process knows the waiting times, so a new leader starts them again.
 */
final class CertificateReconciler implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(CertificateReconciler.class);

  private final CertificateStore store;
  private final CertificateIssuer issuer;
  private final BooleanSupplier leads;
  private final ReloadableKeyManager key;
  private final Times times;
  private Optional<Settled> settled = Optional.empty();
  private String lastProblem = "";

  /**
   * Clocks and delay.
   *
   * @param pause the time after which every replica has read the Secret, and every API server the
   *     CA bundle
   */
  record Times(Clock clock, LongSupplier nanos, Duration pause) {}

  private record Settled(String version, long since) {}

  CertificateReconciler(
      CertificateStore store,
      CertificateIssuer issuer,
      BooleanSupplier leads,
      ReloadableKeyManager key,
      Times times) {
    this.store = store;
    this.issuer = issuer;
    this.leads = leads;
    this.key = key;
    this.times = times;
  }

  /** Runs once; a failure is retried in the next run. */
  @Override
  public void run() {
    try {
      CertificateSecret certificateSecret = store.read();
      if (leads.getAsBoolean()) {
        certificateSecret = keepFresh(certificateSecret);
      }
      certificateSecret
          .serving()
          .map(IssuedCertificate::parsed)
          .filter(one -> times.clock().instant().isBefore(one.ends()))
          .ifPresentOrElse(key::serve, key::nothingToServe);
      lastProblem = "";
    } catch (IOException e) {
      report("" + e.getMessage());
    }
  }

  /** Logs each problem once. */
  private void report(String problem) {
    if (!Objects.equals(problem, lastProblem)) {
      lastProblem = problem;
      log.warn("webhook certificate cannot be renewed why={}", problem);
    }
  }

  private CertificateSecret keepFresh(CertificateSecret seen) throws IOException {
    haveTrusted(seen);
    RotationStep step = RotationStep.next(seen, times.clock().instant(), settled(seen));
    if (step == RotationStep.NOTHING) {
      return seen;
    }
    CertificateSecret now = write(step, seen);
    haveTrusted(now);
    return now;
  }

  /** Publishes the CA bundle; a change restarts the pause. */
  private void haveTrusted(CertificateSecret certificateSecret) throws IOException {
    boolean trusted =
        certificateSecret.serving().isEmpty() || store.trusted(certificateSecret.bundle());
    if (!trusted) {
      store.trust(certificateSecret.bundle());
    }
    if (!trusted
        || settled.filter(one -> one.version().equals(certificateSecret.version())).isEmpty()) {
      settled = Optional.of(new Settled(certificateSecret.version(), times.nanos().getAsLong()));
    }
  }

  private CertificateSecret write(RotationStep step, CertificateSecret seen) throws IOException {
    log.info("certificate of the webhook step={}", step);
    return store.write(step.applied(seen, issuer, times.clock().instant()));
  }

  private boolean settled(CertificateSecret seen) {
    return settled
        .filter(one -> one.version().equals(seen.version()))
        .filter(one -> times.nanos().getAsLong() - one.since() >= times.pause().toNanos())
        .isPresent();
  }
}
