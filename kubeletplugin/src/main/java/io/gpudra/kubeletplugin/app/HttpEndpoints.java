package io.gpudra.kubeletplugin.app;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The process's HTTP server: health for the kubelet's probes, metrics for Prometheus. */
final class HttpEndpoints implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(HttpEndpoints.class);

  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          2, new ThreadFactoryBuilder().setNameFormat("http-%d").setDaemon(true).build());

  private HttpEndpoints(HttpServer server) {
    this.server = server;
    server.setExecutor(threads);
  }

  /** What an endpoint answers. */
  record Answer(int status, String body) {
    static Answer check(boolean good, String otherwise) {
      return good ? new Answer(200, "ok\n") : new Answer(503, otherwise + "\n");
    }
  }

  /**
   * Serves nothing but 404 until endpoints are added.
   *
   * @param port 0 for any free one
   */
  static HttpEndpoints start(int port) throws IOException {
    try {
      HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
      HttpEndpoints endpoints = new HttpEndpoints(server);
      server.start();
      return endpoints;
    } catch (IOException e) {
      throw new IOException("cannot listen on --http-port " + port + ": " + e.getMessage(), e);
    }
  }

  HttpEndpoints add(String path, Supplier<Answer> endpoint) {
    server.createContext(path, exchange -> serve(exchange, endpoint));
    return this;
  }

  private static void serve(HttpExchange exchange, Supplier<Answer> endpoint) throws IOException {
    try (exchange) {
      Answer answer = ask(exchange, endpoint);
      byte[] body = answer.body().getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
      exchange.sendResponseHeaders(answer.status(), body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static Answer ask(HttpExchange exchange, Supplier<Answer> endpoint) {
    try {
      return endpoint.get();
    } catch (RuntimeException e) {
      log.error("endpoint failed path={}", exchange.getRequestURI().getPath(), e);
      return new Answer(500, "failed, see the log\n");
    }
  }

  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
