package io.gpudra.controller.app;

import com.google.common.base.Splitter;
import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * {@code /healthz}, {@code /readyz}, {@code /metrics} and {@code /debug/ledger}. A probe that must
 * wait is refused: a stuck one would otherwise hide the others.
 */
final class Endpoints implements AutoCloseable {

  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json";
  private static final int MOST_WAITING = 32;

  static {
    // Without it every answer on a kept connection takes 40 ms (Nagle and delayed acknowledgement);
    // read once, when the server's classes are loaded.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final HttpServer server;
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          2,
          2,
          1,
          TimeUnit.MINUTES,
          new ArrayBlockingQueue<>(MOST_WAITING),
          new ThreadFactoryBuilder().setNameFormat("http-%d").setDaemon(true).build());

  private Endpoints(HttpServer server) {
    this.server = server;
  }

  /**
   * Listens at once.
   *
   * @param metrics the page's text
   * @param ledger a query to JSON
   * @throws IOException when the address cannot be bound
   */
  static Endpoints serve(
      InetSocketAddress address,
      Health health,
      Supplier<MetricsPage> metrics,
      Function<ImmutableMap<String, String>, String> ledger)
      throws IOException {
    Endpoints endpoints = new Endpoints(HttpServer.create(address, 0));
    endpoints.route("/healthz", query -> judged(health.ailments()));
    endpoints.route("/readyz", query -> judged(health.hindrances()));
    endpoints.route(
        "/metrics",
        query -> {
          MetricsPage page = metrics.get();
          return new Answer(200, page.contentType(), page.text());
        });
    endpoints.route("/debug/ledger", query -> new Answer(200, JSON, ledger.apply(query)));
    endpoints.server.setExecutor(endpoints.threads);
    endpoints.server.start();
    return endpoints;
  }

  /** The port that was bound. */
  int port() {
    return server.getAddress().getPort();
  }

  private record Answer(int code, String type, String text) {}

  private static Answer judged(ImmutableList<String> problems) {
    return problems.isEmpty()
        ? new Answer(200, TEXT, "ok\n")
        : new Answer(503, TEXT, String.join("\n", problems) + "\n");
  }

  private void route(String path, Function<ImmutableMap<String, String>, Answer> page) {
    server.createContext(path, exchange -> answer(exchange, path, page));
  }

  private static void answer(
      HttpExchange exchange, String path, Function<ImmutableMap<String, String>, Answer> page)
      throws IOException {
    try (exchange) {
      send(exchange, choose(exchange, path, page));
    }
  }

  private static Answer choose(
      HttpExchange exchange, String path, Function<ImmutableMap<String, String>, Answer> page) {
    if (!exchange.getRequestURI().getPath().equals(path)) {
      return new Answer(404, TEXT, "there is /healthz, /readyz, /metrics and /debug/ledger\n");
    }
    return exchange.getRequestMethod().equals("GET")
        ? page.apply(query(exchange))
        : new Answer(405, TEXT, "only GET\n");
  }

  /** The last of several values counts. */
  private static ImmutableMap<String, String> query(HttpExchange exchange) {
    String text = Strings.nullToEmpty(exchange.getRequestURI().getQuery());
    return Splitter.on('&')
        .omitEmptyStrings()
        .splitToStream(text)
        .map(part -> Splitter.on('=').limit(2).splitToList(part))
        .collect(
            ImmutableMap.toImmutableMap(
                part -> part.get(0), part -> part.size() > 1 ? part.get(1) : "", (a, b) -> b));
  }

  private static void send(HttpExchange exchange, Answer answer) throws IOException {
    byte[] body = answer.text().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", answer.type());
    exchange.sendResponseHeaders(answer.code(), body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
