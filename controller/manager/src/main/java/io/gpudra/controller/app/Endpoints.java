package io.gpudra.controller.app;

import io.gpudra.process.Answer;
import io.gpudra.process.Diagnostics;
import io.gpudra.process.HttpPort;
import io.gpudra.process.Page;
import java.io.IOException;

/**
 * {@code /healthz} and {@code /readyz} for the kubelet, {@code /metrics} for Prometheus, and {@code
 * /debug/ledger} beside what Java tells of the process, which names everybody's claims and so
 * listens on the loopback address only, and answers to its names only; each kind on a port of its
 * own, so that none can be kept from answering by the clients of another.
 */
record Endpoints(HttpPort probes, HttpPort metrics, HttpPort debug) implements AutoCloseable {

  /** A page of the ledger may have a few MB, and each of them may have one. */
  private static final int MOST_DEBUGGERS = 8;

  /**
   * Listens at once.
   *
   * @throws IOException when one cannot be bound
   */
  static Endpoints open(Options options, Health health, Page metrics, LedgerPage ledger)
      throws IOException {
    return new Endpoints(
        options
            .ports
            .openProbes()
            .add("/healthz", query -> Answer.judged(health.ailments()))
            .add("/readyz", query -> Answer.judged(health.hindrances())),
        options.ports.openMetrics().add("/metrics", metrics),
        Diagnostics.addTo(HttpPort.openLocal("--debug-port", options.debugPort, MOST_DEBUGGERS))
            .add("/debug/ledger", query -> Answer.json(ledger.apply(query))));
  }

  @Override
  public void close() {
    probes.close();
    metrics.close();
    debug.close();
  }
}
