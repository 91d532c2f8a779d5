package io.gpudra.controller.app;

import com.google.common.collect.ImmutableMap;
import io.gpudra.process.Answer;
import io.gpudra.process.HttpPort;
import io.gpudra.process.Page;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Function;

/** {@code /healthz}, {@code /readyz}, {@code /metrics} and {@code /debug/ledger}. */
final class Endpoints implements AutoCloseable {

  private final HttpPort http;

  private Endpoints(HttpPort http) {
    this.http = http;
  }

  /**
   * Listens at once.
   *
   * @param ledger a query to JSON
   * @throws IOException when the address cannot be bound
   */
  static Endpoints serve(
      InetSocketAddress address,
      Health health,
      Page metrics,
      Function<ImmutableMap<String, String>, String> ledger)
      throws IOException {
    return new Endpoints(
        HttpPort.open("--http-port", address)
            .add("/healthz", query -> Answer.judged(health.ailments()))
            .add("/readyz", query -> Answer.judged(health.hindrances()))
            .add("/metrics", metrics)
            .add("/debug/ledger", query -> Answer.json(ledger.apply(query))));
  }

  /** The port that was bound. */
  int port() {
    return http.port();
  }

  @Override
  public void close() {
    http.close();
  }
}
