package io.gpudra.controller.cli.training;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.base.Splitter;
import com.google.common.collect.Iterables;
import com.google.common.io.ByteStreams;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A fake API server with a few objects of each kind, over TLS. */
final class StubApiServer implements AutoCloseable {

  /** A manifest that requests a GPU, written by {@link #write}. */
  static final String SUB_REQUEST = "wish.yaml";

  private static final JsonMapper JSON = new JsonMapper();
  private static final int OK = 200;
  private static final String LIST =
      "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[%s]}";

  private final HttpsServer server;
  private final TlsIdentity identity;

  private StubApiServer(HttpsServer server, TlsIdentity identity) {
    this.server = server;
    this.identity = identity;
  }

  /** Starts on a free port of the loopback address. */
  static StubApiServer start(Path place) throws IOException, InterruptedException {
    TlsIdentity identity = TlsIdentity.make(place);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(identity.context()));
    server.createContext("/", StubApiServer::answer);
    server.start();
    return new StubApiServer(server, identity);
  }

  /** Writes {@code kubeconfig} and {@link #SUB_REQUEST}. */
  void write(Path place) throws IOException {
    Files.writeString(
        place.resolve("kubeconfig"), identity.kubeconfig(server.getAddress().getPort()));
    Files.writeString(place.resolve(SUB_REQUEST), text(SUB_REQUEST).orElseThrow());
  }

  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = body(exchange.getRequestURI().getPath()).getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(OK, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  /** A list if the path ends with a kind, its first object if the path ends with a name. */
  private static String body(String path) throws IOException {
    List<String> parts = Splitter.on('/').splitToList(path);
    Optional<String> listed = text(Iterables.getLast(parts) + ".json");
    if (listed.isPresent()) {
      return path.equals("/version") ? listed.get() : LIST.formatted(listed.get());
    }
    Optional<String> named = text(parts.get(Math.max(0, parts.size() - 2)) + ".json");
    return named.isPresent() ? first(named.get()) : LIST.formatted("");
  }

  private static String first(String objects) throws IOException {
    return JSON.readTree("[" + objects + "]").path(0).toString();
  }

  private static Optional<String> text(String name) throws IOException {
    try (InputStream in = StubApiServer.class.getResourceAsStream(name)) {
      return in == null
          ? Optional.empty()
          : Optional.of(
              new String(ByteStreams.toByteArray(in), UTF_8)
                  .replace("%NOW%", Instant.now().toString()));
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
