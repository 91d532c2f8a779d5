package io.gpudra.process;

import com.google.common.base.Splitter;
import com.google.common.base.Strings;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port with pages. A request that must wait is refused: a stuck one would otherwise hide the
 * others.
 */
public final class HttpPort implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(HttpPort.class);
  private static final int MOST_WAITING = 32;

  static {
    // Without it every answer on a kept connection takes 40 ms (Nagle and delayed acknowledgement);
    // read once, when the server's classes are loaded.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final HttpServer server;
  private final Map<String, Page> pages = new ConcurrentSkipListMap<>();
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          2,
          2,
          1,
          TimeUnit.MINUTES,
          new ArrayBlockingQueue<>(MOST_WAITING),
          new ThreadFactoryBuilder().setNameFormat("http-%d").setDaemon(true).build());

  private HttpPort(HttpServer server) {
    this.server = server;
  }

  /**
   * Listens at once; everything is 404 until pages are added.
   *
   * @param option that the port was given by, for the message when it cannot be bound
   * @param address with port 0 for any free one
   */
  public static HttpPort open(String option, InetSocketAddress address) throws IOException {
    try {
      HttpPort port = new HttpPort(HttpServer.create(address, 0));
      port.server.createContext("/", port::serve);
      port.server.setExecutor(port.threads);
      port.server.start();
      return port;
    } catch (IOException e) {
      throw new IOException(
          "cannot listen on %s %d: %s".formatted(option, address.getPort(), e.getMessage()), e);
    }
  }

  /** Shows a page from now on. */
  public HttpPort add(String path, Page page) {
    pages.put(path, page);
    return this;
  }

  /** The port that was bound. */
  public int port() {
    return server.getAddress().getPort();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      send(exchange, choose(exchange));
    }
  }

  private Answer choose(HttpExchange exchange) {
    Page page = pages.get(exchange.getRequestURI().getPath());
    if (page == null) {
      return Answer.text(404, "there is " + String.join(", ", pages.keySet()));
    }
    return exchange.getRequestMethod().equals("GET")
        ? ask(page, exchange)
        : Answer.text(405, "only GET");
  }

  private static Answer ask(Page page, HttpExchange exchange) {
    try {
      return page.answer(query(exchange));
    } catch (RuntimeException e) {
      log.error("page failed path={}", exchange.getRequestURI().getPath(), e);
      return Answer.text(500, "failed, see the log");
    }
  }

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
    exchange.sendResponseHeaders(answer.status(), body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
