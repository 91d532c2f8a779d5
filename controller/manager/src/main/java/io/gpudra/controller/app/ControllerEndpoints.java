package io.gpudra.controller.app;

import io.gpudra.process.HttpPage;
import io.gpudra.process.HttpPort;
import io.gpudra.process.JvmDiagnostics;
import io.gpudra.process.PageContent;
import java.io.IOException;

/**
 * {@code /healthz} and {@code /readyz} for the kubelet, {@code /metrics} for Prometheus, {@code
 * /debug/ledger} and JVM diagnostics. The debug pages name the claims of all namespaces, so they
 * are served only on the loopback address and for its host names. Each has its own port, so that
 * clients of one cannot block another.
 */
record ControllerEndpoints(HttpPort probes, HttpPort metrics, HttpPort debug)
    implements AutoCloseable {

  /** The maximum number of clients, since each page of the ledger may take a few MB. */
  private static final int MAX_DEBUGGERS = 8;

  /**
   * Starts listening.
   *
   * @throws IOException if a port cannot be bound
   */
  static ControllerEndpoints open(
      ControllerOptions options, ControllerHealth health, HttpPage metrics, LedgerPage ledger)
      throws IOException {
    return new ControllerEndpoints(
        options
            .ports
            .openProbes()
            .add("/healthz", query -> PageContent.health(health.ailments()))
            .add("/readyz", query -> PageContent.health(health.hindrances())),
        options.ports.openMetrics().add("/metrics", metrics),
        JvmDiagnostics.addTo(HttpPort.openLocal("--debug-port", options.debugPort, MAX_DEBUGGERS))
            .add("/debug/ledger", query -> PageContent.json(ledger.apply(query))));
  }

  @Override
  public void close() {
    probes.close();
    metrics.close();
    debug.close();
  }
}
