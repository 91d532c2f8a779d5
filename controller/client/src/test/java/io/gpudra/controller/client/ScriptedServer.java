package io.gpudra.controller.client;

import com.codahale.metrics.MetricRegistry;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * An HTTP server on a loopback port that answers as a test says and remembers what it was asked.
 */
public final class ScriptedServer implements AutoCloseable {
  /** Put into a stream's queue to end it properly. */
  public static final String END = "END";

  /** Put into a stream's queue to cut the connection. */
  public static final String CUT = "CUT";

  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;

  /** One request. */
  public record Call(
      String method, String path, Map<String, String> query, String contentType, String body) {

    /** Whether this is a watch. */
    public boolean watch() {
      return query.containsKey("watch");
    }
  }

  /** How a request is answered. */
  public interface Reply {
    /** Answers. */
    void to(HttpExchange exchange) throws IOException;
  }

  public ScriptedServer(Function<Call, Reply> script) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", exchange -> script.apply(remember(exchange)).to(exchange));
    server.setExecutor(threads);
    server.start();
  }

  /** A JSON answer. */
  public static Reply json(int code, String body, String... headers) {
    return exchange -> {
      for (int i = 0; i < headers.length; i += 2) {
        exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
      }
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(code, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
      exchange.close();
    };
  }

  /** The connection closes without an answer. */
  public static Reply dropped() {
    return HttpExchange::close;
  }

  /** Lines as they come into the queue, until {@link #END} or {@link #CUT}. */
  public static Reply lines(BlockingQueue<String> queue) {
    return exchange -> {
      exchange.sendResponseHeaders(200, 0);
      OutputStream out = exchange.getResponseBody();
      out.flush();
      try {
        for (String line = queue.take(); !line.equals(END); line = queue.take()) {
          if (line.equals(CUT)) {
            throw new IOException("cut");
          }
          out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
          out.flush();
        }
        exchange.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    };
  }

  private Call remember(HttpExchange exchange) throws IOException {
    String query = exchange.getRequestURI().getRawQuery();
    Call call =
        new Call(
            exchange.getRequestMethod(),
            exchange.getRequestURI().getPath(),
            query == null ? Map.of() : parse(query),
            String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type")),
            new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    calls.add(call);
    return call;
  }

  private static Map<String, String> parse(String query) {
    return Arrays.stream(query.split("&"))
        .map(pair -> pair.split("=", 2))
        .collect(
            Collectors.toMap(
                pair -> pair[0], pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
  }

  /** All requests so far. */
  public List<Call> calls() {
    return calls;
  }

  /** A client of this server. */
  public HttpClients client() {
    return client(Duration.ofSeconds(20));
  }

  /** A client of this server with its own patience. */
  public HttpClients client(Duration unaryTimeout) {
    return client(unaryTimeout, new MetricRegistry());
  }

  /** A client of this server that counts there. */
  public HttpClients client(Duration unaryTimeout, MetricRegistry metrics) {
    return HttpClients.plain(
        "http://127.0.0.1:" + server.getAddress().getPort(), unaryTimeout, metrics);
  }

  @Override
  public void close() {
    threads.shutdownNow();
    server.stop(0);
  }
}
