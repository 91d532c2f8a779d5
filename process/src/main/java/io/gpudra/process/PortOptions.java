package io.gpudra.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import picocli.CommandLine.Option;

/** The ports that every process has: for probes and for metrics. */
public final class PortOptions {

  /** The maximum number of clients of the probes; the answers are one line. */
  private static final int MAX_PROBES = 256;

  private static final int MAX_SCRAPES = 64;

  @Option(
      names = "--http-address",
      paramLabel = "ADDRESS",
      defaultValue = "${env:HTTP_ADDRESS:-0.0.0.0}",
      description =
          "where probes, metrics and webhook are served (env HTTP_ADDRESS; default: ${DEFAULT-VALUE})")
  private String address = "";

  @Option(
      names = "--probe-port",
      paramLabel = "PORT",
      converter = PortNumber.class,
      defaultValue = "${env:PROBE_PORT:-8081}",
      description =
          "port of /healthz and /readyz; 0 takes a free one"
              + " (env PROBE_PORT; default: ${DEFAULT-VALUE})")
  private int probePort;

  @Option(
      names = "--metrics-port",
      paramLabel = "PORT",
      converter = PortNumber.class,
      defaultValue = "${env:METRICS_PORT:-8080}",
      description =
          "port of /metrics; 0 takes a free one (env METRICS_PORT; default: ${DEFAULT-VALUE})")
  private int metricsPort;

  /** Listens for the kubelet's probes. */
  public HttpPort openProbes() throws IOException {
    return HttpPort.open("--probe-port", at(probePort), MAX_PROBES);
  }

  /** Another port at the same address. */
  public InetSocketAddress at(int port) {
    return new InetSocketAddress(address, port);
  }

  /** Listens for Prometheus. */
  public HttpPort openMetrics() throws IOException {
    return HttpPort.open("--metrics-port", at(metricsPort), MAX_SCRAPES);
  }
}
